// Which secrets a pod uses, and whether its service account knows them: accounts may be told to let pods mount only what they list.
import type { corev1 } from "@kubeloop/core/api";

type Environment = Pick<corev1.Container, "name" | "env" | "envFrom">;

/** Why the pod may not, in upstream's words; undefined where it may. */
export function findForeignSecret({ spec }: corev1.Pod, account: corev1.ServiceAccount): string | undefined {
  const known = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined || known.has(secret.secretName)) continue;
    return `volume with secret.secretName="${secret.secretName ?? ""}" ${notKnown(account)}`;
  }
  const ofContainers =
    foreignInEnvironments(spec.initContainers ?? [], "init container", account) ??
    foreignInEnvironments(spec.containers ?? [], "container", account);
  if (ofContainers !== undefined) return ofContainers;
  const pulls = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const foreign = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pulls.has(name));
  if (foreign < 0) return undefined;
  const name = spec.imagePullSecrets?.[foreign]?.name ?? "";
  return `imagePullSecrets[${foreign}].name="${name}" ${notKnown(account, "imagePullSecret")}`;
}

export function findForeignSecretOfEphemeral({ spec }: corev1.Pod, account: corev1.ServiceAccount): string | undefined {
  return foreignInEnvironments(spec.ephemeralContainers ?? [], "ephemeral container", account);
}

function foreignInEnvironments(
  containers: readonly Environment[],
  what: string,
  account: corev1.ServiceAccount,
): string | undefined {
  const known = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined || known.has(secret.name)) continue;
      return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret.name ?? ""}" ${notKnown(account)}`;
    }
    for (const { secretRef } of envFrom) {
      if (secretRef === undefined || known.has(secretRef.name)) continue;
      return `${what} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ""}" ${notKnown(account)}`;
    }
  }
  return undefined;
}

const notKnown = ({ metadata }: corev1.ServiceAccount, what = "secret") =>
  `is not allowed because service account ${metadata.name} does not reference that ${what}`;

/** Whether the pod names any secret: to pull images, in a variable, in a volume of whatever kind. An empty name is none. */
export function namesSecret(spec: corev1.PodSpec): boolean {
  const inVariables = containersOf(spec).some(
    ({ env = [], envFrom = [] }) =>
      env.some(({ valueFrom }) => isNamed(valueFrom?.secretKeyRef?.name)) ||
      envFrom.some(({ secretRef }) => isNamed(secretRef?.name)),
  );
  const toPull = (spec.imagePullSecrets ?? []).some(({ name }) => isNamed(name));
  return inVariables || toPull || (spec.volumes ?? []).some(volumeNamesSecret);
}

/** Whether the pod names any ConfigMap, in a variable or in a volume. An empty name is none. */
export function namesConfigMap(spec: corev1.PodSpec): boolean {
  const inVariables = containersOf(spec).some(
    ({ env = [], envFrom = [] }) =>
      env.some(({ valueFrom }) => isNamed(valueFrom?.configMapKeyRef?.name)) ||
      envFrom.some(({ configMapRef }) => isNamed(configMapRef?.name)),
  );
  return inVariables || (spec.volumes ?? []).some(volumeNamesConfigMap);
}

const isNamed = (name: unknown) => typeof name === "string" && name !== "";

function containersOf({ containers, initContainers, ephemeralContainers }: corev1.PodSpec): readonly Environment[] {
  return [...(containers ?? []), ...(initContainers ?? []), ...(ephemeralContainers ?? [])];
}

const volumeNamesConfigMap = ({ configMap, projected }: corev1.Volume) =>
  isNamed(configMap?.name) || (projected?.sources ?? []).some((source) => isNamed(source.configMap?.name));

/** Every kind of volume that takes a secret refers to it by one of these fields. */
const secretFields = ["secretRef", "nodePublishSecretRef"];

function volumeNamesSecret({ name: _name, ...sources }: corev1.Volume): boolean {
  return Object.values(sources).some((source) => {
    if (typeof source !== "object" || source === null) return false;
    const fields = source as Readonly<Record<string, unknown>>;
    const refers = (field: string) => isNamed((fields[field] as { readonly name?: string } | undefined)?.name);
    if (isNamed(fields["secretName"]) || secretFields.some(refers)) return true;
    // Null where a projected volume names none: Go prints it so.
    const { sources: projected } = source as { readonly sources?: readonly corev1.VolumeProjection[] | null };
    return (projected ?? []).some(({ secret }) => isNamed(secret?.name));
  });
}
