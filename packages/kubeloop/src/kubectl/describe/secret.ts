// `describe secret`: of what is secret only how many bytes it has, but for the token of a service account.
import type { corev1 } from "@kubeloop/core/api";
import { byteCount } from "./config-map.ts";
import { Description, sortedKeys, writeAnnotations, writeLabels } from "./description.ts";

export function describeSecret({ metadata, data = {}, type = "" }: corev1.Secret): string {
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.write(`\nType:\t${type}\n`);
  to.write("\nData\n====\n");
  for (const key of sortedKeys(data)) {
    const isToken = key === "token" && type === "kubernetes.io/service-account-token";
    const value = data[key] ?? "";
    to.line(0, `${key}:`, isToken ? Buffer.from(value, "base64").toString() : `${byteCount(value)} bytes`);
  }
  return to.toString();
}
