// Tokens of service accounts: a node requests one only for a pod that is bound to it, and only for an audience that the pod's volumes ask for, unless
// authorization allows the node more (`request-serviceaccounts-token-audience`).
import { type authenticationv1, type corev1, isNotFound, quote, type storagev1 } from "@kubeloop/core/api";
import { type NodeRequest, type NodeRule, readOrThrow } from "./node-rule.ts";

type Reader = NodeRequest["parts"]["storage"];

export const tokenRule: NodeRule = async (request) => {
  const { nodeName, attributes, parts } = request;
  const { operation, subresource, namespace, object } = attributes;
  if (operation !== "CREATE" || subresource !== "token") return undefined;
  const { spec } = object as unknown as authenticationv1.TokenRequest;
  // Nothing has been checked yet: a field that Go prints as null may be null here.
  const [ref, audiences] = [spec?.boundObjectRef ?? undefined, spec?.audiences ?? []];
  const name = ref?.name ?? "";
  if (ref?.apiVersion !== "v1" || ref.kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if ((ref.uid ?? "") === "") return "node requested token with a pod binding without a uid";
  const pod = await readOrThrow<corev1.Pod>(parts.storage, "pods", { namespace, name });
  if (ref.uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  if (pod.spec?.nodeName !== nodeName) return "node requested token bound to a pod scheduled on a different node";
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  return await audienceFault(request, pod, audiences[0] ?? "");
};

async function audienceFault(
  { attributes, parts }: NodeRequest,
  pod: corev1.Pod,
  audience: string,
): Promise<string | undefined> {
  const faults: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const asked = await asksForAudience(parts.storage, { pod, volume, audience });
    if (asked === true) return undefined;
    if (typeof asked === "string" && !faults.includes(asked)) faults.push(asked);
  }
  if (faults.length > 0) {
    const why = faults.length === 1 ? faults[0] : `[${faults.join(", ")}]`;
    return `error validating audience ${quote(audience)}: ${why}`;
  }
  const { user, namespace, name } = attributes;
  // The audience stands where a resource does, and the account where an object does: a role allows the one for the other.
  const { isAllowed } = await parts.authorizer.authorize({
    isResourceRequest: true,
    user,
    verb: "request-serviceaccounts-token-audience",
    group: "",
    version: "v1",
    resource: audience,
    subresource: "",
    namespace,
    name,
  });
  if (isAllowed) return undefined;
  return `audience ${quote(audience)} not found in pod spec volume, ${user.name} is not authorized to request tokens for this audience`;
}

interface VolumeQuestion {
  readonly pod: corev1.Pod;
  readonly volume: corev1.Volume;
  readonly audience: string;
}

/** Returns a text if it cannot be known, because an object on the way from the volume to its driver is missing. */
async function asksForAudience(storage: Reader, { pod, volume, audience }: VolumeQuestion): Promise<boolean | string> {
  const projected = volume.projected?.sources ?? [];
  if (projected.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience)) {
    return true;
  }
  try {
    const driver = await driverOf(storage, pod, volume);
    if (driver === "") return false;
    const { spec } = await readOrThrow<storagev1.CSIDriver>(storage, "storage.k8s.io/csidrivers", { name: driver });
    return (spec.tokenRequests ?? []).some((each) => each.audience === audience);
  } catch (error) {
    if (isNotFound(error)) return (error as Error).message;
    throw error;
  }
}

/** Returns the name of the CSI driver that mounts the volume; empty if none does. */
async function driverOf(storage: Reader, { metadata }: corev1.Pod, volume: corev1.Volume): Promise<string> {
  const { namespace = "" } = metadata;
  const claimName =
    volume.ephemeral?.volumeClaimTemplate === undefined
      ? volume.persistentVolumeClaim?.claimName
      : `${metadata.name}-${volume.name}`;
  if (claimName === undefined) return volume.csi?.driver ?? migratedDriver(volume);
  const place = { namespace, name: claimName };
  const claim = await readOrThrow<corev1.PersistentVolumeClaim>(storage, "persistentvolumeclaims", place);
  const name = claim.spec?.volumeName ?? "";
  const { spec } = await readOrThrow<corev1.PersistentVolume>(storage, "persistentvolumes", { name });
  return spec?.csi?.driver ?? migratedDriver(spec ?? {});
}

/** Volumes of the kinds that were part of Kubernetes once are mounted by these drivers today. */
const migratedDrivers = {
  gcePersistentDisk: "pd.csi.storage.gke.io",
  awsElasticBlockStore: "ebs.csi.aws.com",
  cinder: "cinder.csi.openstack.org",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  vsphereVolume: "csi.vsphere.vmware.com",
  portworxVolume: "pxd.portworx.com",
} as const;

function migratedDriver(source: Partial<Record<keyof typeof migratedDrivers, unknown>>): string {
  for (const [field, driver] of Object.entries(migratedDrivers)) {
    if (source[field as keyof typeof migratedDrivers] !== undefined) return driver;
  }
  return "";
}
