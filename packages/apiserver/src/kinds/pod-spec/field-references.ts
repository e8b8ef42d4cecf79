// Where a pod's own fields and resources are made visible inside it: environment variables and downward API volumes.
import { canonicalQuantity, type corev1, isZeroQuantity, validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

/** What can be named at all; each field allows some of them. */
const knownFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
  "spec.host",
]);

/** Of environment variables. */
export const environmentFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** Of files in a volume. */
export const volumeFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const cpuDivisors = ["1m", "1"];
const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

export function checkFieldReference(
  { apiVersion, fieldPath: field }: corev1.ObjectFieldSelector,
  fldPath: ValidationPath,
  allowed: readonly string[],
): void {
  const pathOfField = fldPath.at("fieldPath");
  if (isAbsent(apiVersion)) {
    fldPath.at("apiVersion").required();
    return;
  }
  if (isAbsent(field)) {
    pathOfField.required();
    return;
  }
  const { whole, subscript } = splitSubscript(field);
  const problem = unreadableField(apiVersion, field, whole, subscript);
  if (problem !== undefined) {
    pathOfField.invalid(field, `error converting fieldPath: ${problem}`);
  } else if (subscript !== undefined) {
    const key = whole === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    fldPath.invalidFor(key, validateQualifiedName(key));
  } else {
    const name = field === "spec.host" ? "spec.nodeName" : field;
    if (!allowed.includes(name)) pathOfField.notSupported(name, allowed);
  }
}

/** "metadata.labels['app']": what stands before the brackets, and between them. */
function splitSubscript(field: string): { readonly whole: string; readonly subscript?: string } {
  const start = field.indexOf("['");
  if (!field.endsWith("']") || start <= 0 || start + 2 > field.length - 2) return { whole: field };
  return { whole: field.slice(0, start), subscript: field.slice(start + 2, -2) };
}

function unreadableField(apiVersion: string, field: string, whole: string, subscript?: string): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  if (subscript === undefined) return knownFields.has(field) ? undefined : `field label not supported: ${field}`;
  if (whole === "metadata.annotations" || whole === "metadata.labels") return undefined;
  return `field label does not support subscript: ${field}`;
}

export interface ResourceReferenceOptions {
  /** A volume belongs to no container, so it must say whose resources it means. */
  readonly needsContainer: boolean;
}

export function checkResourceReference(
  { containerName, resource, divisor }: corev1.ResourceFieldSelector,
  fldPath: ValidationPath,
  { needsContainer }: ResourceReferenceOptions,
): void {
  if (needsContainer && isAbsent(containerName)) {
    fldPath.at("containerName").required();
  } else if (isAbsent(resource)) {
    fldPath.at("resource").required();
  } else if (!resourceFields.includes(resource) && !isHugePagesField(resource)) {
    fldPath.at("resource").notSupported(resource, resourceFields);
  }
  if (divisor === undefined || isZeroQuantity(divisor)) return;
  const [divisors, name] = divisorsOf(resource ?? "");
  if (divisors === undefined || divisors.includes(canonicalQuantity(divisor))) return;
  const list = divisors === cpuDivisors ? "1m and 1" : divisors.join(", ");
  const why = `only divisor's values ${list} are supported with the ${name} resource`;
  fldPath.at("divisor").invalid(resource ?? "", why);
}

function isHugePagesField(resource: string): boolean {
  return resource.startsWith("requests.hugepages-") || resource.startsWith("limits.hugepages-");
}

function divisorsOf(resource: string): [divisors: readonly string[] | undefined, name: string] {
  if (isHugePagesField(resource)) return [byteDivisors, "hugepages"];
  if (/^(limits|requests)\.cpu$/.test(resource)) return [cpuDivisors, "cpu"];
  if (/^(limits|requests)\.memory$/.test(resource)) return [byteDivisors, "memory"];
  if (/^(limits|requests)\.ephemeral-storage$/.test(resource)) return [byteDivisors, "local ephemeral storage"];
  return [undefined, ""];
}
