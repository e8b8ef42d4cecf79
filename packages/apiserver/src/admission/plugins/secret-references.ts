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

/** Whether the pod uses any secret: to pull images, in a variable, in a volume of whatever kind. */
export function namesSecret(spec: corev1.PodSpec): boolean {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
  const inVariables = containers.some(
    ({ env = [], envFrom = [] }) =>
      env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) ||
      envFrom.some(({ secretRef }) => secretRef !== undefined),
  );
  return inVariables || (spec.imagePullSecrets ?? []).length > 0 || (spec.volumes ?? []).some(volumeNamesSecret);
}

/** Every kind of volume that takes one holds it under one of these names. */
const secretFields = ["secretRef", "nodePublishSecretRef", "secretName"];

function volumeNamesSecret({ name: _name, ...sources }: corev1.Volume): boolean {
  return Object.values(sources).some((source) => {
    if (typeof source !== "object" || source === null) return false;
    if (secretFields.some((field) => (source as Readonly<Record<string, unknown>>)[field] !== undefined)) return true;
    const { sources: projected = [] } = source as { readonly sources?: readonly corev1.VolumeProjection[] };
    return projected.some(({ secret }) => secret !== undefined);
  });
}
