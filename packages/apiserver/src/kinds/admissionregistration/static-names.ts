// Names of admission that are not made through the API.
import { quote } from "@kubeloop/core/api";

const suffix = ".static.k8s.io";

export function staticNameWarnings(name: string | undefined): string[] {
  if (name?.endsWith(suffix) !== true) return [];
  const why = "are reserved for static manifest-based configurations and cannot be managed via the API";
  return [`metadata.name: names ending with ${quote(suffix)} ${why}`];
}
