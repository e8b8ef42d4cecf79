// The environment variables of a container: literal values, fields of the pod, and values of ConfigMaps and Secrets. They are read each time a container
// starts. What is missing and not optional keeps the container from starting, and is named in the kubelet's words. Pure.
//
// Not here: variables that name services, resource fields, and files.
import { type corev1, quote } from "@kubeloop/core/api";

/** The ConfigMaps and Secrets of a pod's namespace. */
export interface ConfigSource {
  configMap(name: string): corev1.ConfigMap | undefined;
  secret(name: string): corev1.Secret | undefined;
}

export const noConfig: ConfigSource = { configMap: () => undefined, secret: () => undefined };

export type Environment = Readonly<Record<string, string>>;

/** The fields that containers, init containers and ephemeral containers have in common. */
export type AnyContainer = corev1.Container | corev1.EphemeralContainer;

export type ResolvedEnvironment = { readonly env: Environment } | { readonly fault: string };

/** `$(NAME)` refers to variables before it. */
export function resolveEnvironment(
  pod: corev1.Pod,
  container: AnyContainer,
  source: ConfigSource,
): ResolvedEnvironment {
  const env: Record<string, string> = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: hostnameOf(pod),
  };
  for (const from of container.envFrom ?? []) {
    const found = readWhole(from, source);
    if ("fault" in found) return found;
    for (const [key, value] of Object.entries(found.values)) env[`${from.prefix ?? ""}${key}`] = value;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const resolved = valueFrom === undefined ? expandReferences(value ?? "", env) : readOne(pod, valueFrom, source);
    if (typeof resolved === "object") return resolved;
    if (resolved !== undefined) env[name] = resolved;
  }
  return { env };
}

/** Whether a container's environment depends on more than its pod. */
export function hasConfigReferences({ env = [], envFrom = [] }: AnyContainer): boolean {
  return (
    envFrom.length > 0 ||
    env.some(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined || valueFrom?.secretKeyRef !== undefined)
  );
}

export function hostnameOf({ spec, metadata }: corev1.Pod): string {
  return spec?.hostname ?? metadata.name ?? "";
}

type Values = Readonly<Record<string, string>>;

function readWhole(
  { configMapRef, secretRef }: corev1.EnvFromSource,
  source: ConfigSource,
): { readonly values: Values } | { readonly fault: string } {
  const ref = configMapRef ?? secretRef;
  if (ref === undefined) return { values: {} };
  const kind = configMapRef === undefined ? "secret" : "configmap";
  const values = readObject(kind, ref.name ?? "", source);
  if (values !== undefined) return { values };
  return ref.optional === true ? { values: {} } : { fault: notFound(kind, ref.name ?? "") };
}

/** Undefined for what is absent and may be. */
function readOne(
  pod: corev1.Pod,
  { fieldRef, configMapKeyRef, secretKeyRef }: corev1.EnvVarSource,
  source: ConfigSource,
): string | undefined | { readonly fault: string } {
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (ref === undefined) return "";
  const kind = configMapKeyRef === undefined ? "secret" : "configmap";
  const { name = "", key, optional } = ref;
  const values = readObject(kind, name, source);
  const value = values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
  if (value !== undefined || optional === true) return value;
  if (values === undefined) return { fault: notFound(kind, name) };
  const kindName = kind === "secret" ? "Secret" : "ConfigMap";
  return { fault: `couldn't find key ${key} in ${kindName} ${pod.metadata.namespace}/${name}` };
}

export type ConfigKind = "configmap" | "secret";

export const notFound = (kind: ConfigKind, name: string) => `${kind} "${name}" not found`;

/** The values of an object as text; undefined if there is no such object. */
function readObject(kind: ConfigKind, name: string, source: ConfigSource): Values | undefined {
  if (kind === "configmap") {
    const found = source.configMap(name);
    return found === undefined ? undefined : (found.data ?? {});
  }
  const found = source.secret(name);
  if (found === undefined) return undefined;
  const decoded = Object.entries(found.data ?? {}).map(([key, value]) => [key, fromBase64(value)] as const);
  return Object.fromEntries(decoded);
}

export function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}

/** A field of the pod, for variables and for files; labels and annotations as a whole have a line each. */
export function fieldOf({ metadata, spec, status }: corev1.Pod, path: string): string {
  const quoted = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (quoted !== null) return metadata[quoted[1] as "labels" | "annotations"]?.[quoted[2] ?? ""] ?? "";
  switch (path) {
    case "metadata.labels":
    case "metadata.annotations": {
      const all = Object.entries(metadata[path.slice("metadata.".length) as "labels" | "annotations"] ?? {});
      const byKey = all.sort(([a], [b]) => (a < b ? -1 : 1));
      return byKey.map(([key, value]) => `${key}=${quote(value)}`).join("\n");
    }
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "spec.nodeName":
      return spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "status.podIP":
      return status?.podIP ?? "";
    case "status.podIPs":
      return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    case "status.hostIP":
      return status?.hostIP ?? "";
    case "status.hostIPs":
      return (status?.hostIPs ?? []).map(({ ip }) => ip).join(",");
    default:
      return "";
  }
}

/** `$(NAME)` becomes the variable's value, `$$` a dollar sign; a name that is not known stays as it is. */
export function expandReferences(text: string, env: Environment): string {
  return text.replace(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    return env[name] ?? found;
  });
}
