// The environment of a container: its variables with where their values come from, and the config maps and secrets it takes whole.
import type { corev1 } from "@kubeloop/core/api";
import { isZeroQuantity, quantityMilliValue, quantityValue } from "@kubeloop/core/api";
import type { DescribedContainer } from "./containers.ts";
import type { Description } from "./description.ts";

export function writeEnvironmentSources(to: Description, { envFrom = [] }: DescribedContainer): void {
  if (envFrom.length > 0) to.line(2, "Environment Variables from:");
  for (const { configMapRef, secretRef, prefix = "" } of envFrom) {
    const kind = configMapRef !== undefined ? "ConfigMap" : secretRef !== undefined ? "Secret" : "";
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    to.line(3, name, prefix === "" ? kind : `${kind} with prefix '${prefix}'`, `Optional: ${optional}`);
  }
}

export function writeEnvironment(to: Description, container: DescribedContainer, pod: corev1.Pod | undefined): void {
  const { env = [] } = container;
  to.line(2, "Environment:", ...(env.length === 0 ? ["<none>"] : []));
  for (const { name, value = "", valueFrom } of env) {
    if (valueFrom !== undefined) writeReference(to, name, valueFrom, container, pod);
    else for (const [at, line] of value.split("\n").entries()) to.line(3, at === 0 ? `${name}:` : "", line);
  }
}

function writeReference(
  to: Description,
  name: string,
  from: corev1.EnvVarSource,
  container: DescribedContainer,
  pod: corev1.Pod | undefined,
): void {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = from;
  if (fieldRef !== undefined) {
    const value = pod === undefined ? "" : fieldOf(pod, fieldRef.fieldPath);
    to.line(3, `${name}:`, `${value} (${fieldRef.apiVersion ?? ""}:${fieldRef.fieldPath})`);
  } else if (resourceFieldRef !== undefined) {
    to.line(3, `${name}:`, `${resourceOf(container, resourceFieldRef)} (${resourceFieldRef.resource})`);
  } else if (secretKeyRef !== undefined) {
    const { key, name: secret = "", optional = false } = secretKeyRef;
    to.line(3, `${name}:`, `<set to the key '${key}' in secret '${secret}'>`, `Optional: ${optional}`);
  } else if (configMapKeyRef !== undefined) {
    const { key, name: map = "", optional = false } = configMapKeyRef;
    to.line(3, `${name}:`, `<set to the key '${key}' of config map '${map}'>`, `Optional: ${optional}`);
  }
}

/** Of all fields kubectl follows only these two. */
function fieldOf({ metadata }: corev1.Pod, path: string): string {
  if (path === "metadata.name") return metadata.name ?? "";
  return path === "metadata.namespace" ? (metadata.namespace ?? "") : "";
}

/** In units of the divisor, rounded up. */
function resourceOf(
  { resources }: DescribedContainer,
  { resource, divisor = "0" }: corev1.ResourceFieldSelector,
): string {
  const [, list = "", name = ""] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (!["cpu", "memory", "ephemeral-storage"].includes(name) && !name.startsWith("hugepages-")) return "";
  const quantity = (list === "limits" ? resources?.limits : resources?.requests)?.[name] ?? "0";
  const unit = isZeroQuantity(divisor) ? "1" : divisor;
  const inUnits = name === "cpu" ? quantityMilliValue : quantityValue;
  const count = Math.ceil(Number(inUnits(quantity)) / Number(inUnits(unit)));
  const isWholeNode = count === 0 && (resource === "limits.cpu" || resource === "limits.memory");
  return isWholeNode ? "node allocatable" : String(count);
}
