// The containers of a template in a table: their names and images.
import type { corev1 } from "@kubeloop/core/api";

export function printContainers(spec: corev1.PodSpec | undefined): readonly [names: string, images: string] {
  const containers = spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(","), containers.map(({ image = "" }) => image).join(",")];
}
