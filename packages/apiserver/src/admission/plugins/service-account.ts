// ServiceAccount: a pod runs as an account of its namespace, and every container finds the account's token where clients look for it. Off until asked
// for (`../choose-plugins.ts`): without a controller that makes the accounts, no pod could be created.
import { type corev1, generateName, newNotFound, newStatusError } from "@kubeloop/core/api";
import { randomBelow } from "@kubeloop/core/base";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";
import { findForeignSecret, findForeignSecretOfEphemeral, namesSecret } from "./secret-references.ts";

const accountByDefault = "default";
const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mirrorAnnotation = "kubernetes.io/config.mirror";
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
/** An hour and a bit: by that a server knows a token that was made for a pod. */
const tokenSeconds = 3607;
/** The controller that makes the default account of a new namespace is given so many tries. */
const attempts = 10;

export function serviceAccount(parts: AdmissionParts): AdmissionPlugin {
  const accountFor = async (attributes: AdmissionAttributes): Promise<corev1.ServiceAccount> => {
    const name = podOf(attributes).spec.serviceAccountName ?? "";
    const account = await findAccount(attributes, name, parts);
    if (account !== undefined) return account;
    const { message } = newNotFound({ group: "", resource: "serviceaccount" }, name);
    const why = `error looking up service account ${attributes.namespace}/${name}: ${message}`;
    throw admissionForbidden(attributes, why);
  };
  const completePod = async (attributes: AdmissionAttributes): Promise<void> => {
    const { spec } = podOf(attributes);
    if ((spec.serviceAccountName ?? "") === "") {
      spec.serviceAccountName = accountByDefault;
      // The same, as it was called before.
      spec.serviceAccount = accountByDefault;
    }
    const account = await accountFor(attributes);
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
      mountToken(spec, () => generateName(volumePrefix, parts.random));
    }
    const pullSecrets = account.imagePullSecrets ?? [];
    if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0) {
      spec.imagePullSecrets = pullSecrets.map(({ name }) => (name === undefined ? {} : { name }));
    }
  };
  const check = async (attributes: AdmissionAttributes): Promise<void> => {
    const { operation, subresource, namespace } = attributes;
    const isEphemeral = operation === "UPDATE" && subresource === "ephemeralcontainers";
    if (!isEphemeral && (operation !== "CREATE" || subresource !== "")) return;
    const pod = podOf(attributes);
    if (!isEphemeral && isMirror(attributes)) {
      const why = mirrorFault(pod);
      if (why !== undefined) throw admissionForbidden(attributes, `a mirror pod may not ${why}`);
      return;
    }
    if ((pod.spec.serviceAccountName ?? "") === "") {
      throw admissionForbidden(attributes, `no service account specified for pod ${namespace}/${pod.metadata.name}`);
    }
    const account = await accountFor(attributes);
    if (!isTrue(account.metadata.annotations?.[enforceAnnotation])) return;
    if (isEphemeral) {
      const why = findForeignSecretOfEphemeral(pod, account);
      // Upstream's oddity: it refuses with an error that is no 403, which a server answers with 500.
      if (why !== undefined) throw newStatusError({ code: 500, reason: "", message: why });
      return;
    }
    const why = findForeignSecret(pod, account);
    if (why !== undefined) throw admissionForbidden(attributes, why);
  };
  return {
    name: "ServiceAccount",
    handles: ["CREATE", "UPDATE"],
    resources: ["pods"],
    async admit(attributes) {
      const { operation, subresource } = attributes;
      if (operation !== "CREATE" || subresource !== "") return;
      if (!isMirror(attributes)) await completePod(attributes);
      // As upstream, already here: whoever is asked next, as NodeRestriction, must not refuse the pod in other words.
      await check(attributes);
    },
    validate: check,
  };
}

const podOf = ({ object }: AdmissionAttributes) => object as unknown as Draft<corev1.Pod>;

/** A picture of what a node runs by itself. It is not changed, because the node would no longer know it. */
const isMirror = (attributes: AdmissionAttributes) =>
  podOf(attributes).metadata.annotations?.[mirrorAnnotation] !== undefined;

const isTrue = (text: string | undefined) => ["1", "t", "T", "TRUE", "true", "True"].includes(text ?? "");

async function findAccount(
  { namespace, signal }: AdmissionAttributes,
  name: string,
  { storage, clock, random }: AdmissionParts,
): Promise<corev1.ServiceAccount | undefined> {
  const storageKey = { collection: "serviceaccounts", key: `${namespace}/${name}` };
  const waitMs = 100 + randomBelow(random, 100);
  for (let attempt = 1; ; attempt++) {
    const found = await storage.get(storageKey);
    if (found !== undefined) return found as corev1.ServiceAccount;
    if (name !== accountByDefault || attempt >= attempts) return undefined;
    await clock.sleep(waitMs, signal);
  }
}

function mirrorFault({ spec }: corev1.Pod): string | undefined {
  if ((spec.serviceAccountName ?? "") !== "") return "reference service accounts";
  if (namesSecret(spec)) return "reference secrets";
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  const hasToken = sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
  return hasToken ? "use ServiceAccountToken volume projections" : undefined;
}

/** Into every container that has nothing there yet. A volume that is there under such a name is taken for it. */
function mountToken(spec: Draft<corev1.PodSpec>, newName: () => string): void {
  const held = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix));
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const without = containers.filter(
    ({ volumeMounts = [] }) => !volumeMounts.some((mount) => mount.mountPath === mountPath),
  );
  if (without.length === 0) return;
  const name = held?.name ?? newName();
  for (const container of without) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  }
  if (held === undefined) spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenVolume() }];
}

const tokenVolume = (): Draft<corev1.ProjectedVolumeSource> => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] },
    },
  ],
  defaultMode: 420,
});
