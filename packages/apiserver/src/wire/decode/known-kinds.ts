// Which kinds a real server can read, served or not: it tells a body of another kind from one of no kind at all, and a body of
// a retired version from both. Beside the kinds of the schema table those are the retired versions below.
//
// This is upstream's scheme, in which all kinds are registered whose Go types are compiled into the server: the same on every server, whatever
// its catalogue holds. It is asked about a body that says it is of another kind than the resource it was sent to, and about nothing else.
import { type GroupVersionKind, type ObjectSchema, printGroupVersion, quote, schemaOfKind } from "@kubeloop/core/api";

/** Each with its list. */
const retired: { readonly [groupVersion: string]: string } = {
  "admission.k8s.io/v1": "AdmissionReview",
  "admission.k8s.io/v1beta1": "AdmissionReview",
  "admissionregistration.k8s.io/v1alpha1": "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/v1beta1":
    "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  "apiextensions.k8s.io/v1": "ConversionReview",
  "apiextensions.k8s.io/v1beta1": "ConversionReview CustomResourceDefinition",
  "apiregistration.k8s.io/v1beta1": "APIService",
  "apps/v1beta1": "ControllerRevision Deployment DeploymentRollback Scale StatefulSet",
  "apps/v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
  "authentication.k8s.io/v1alpha1": "SelfSubjectReview",
  "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
  "authorization.k8s.io/v1beta1":
    "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "batch/v1beta1": "CronJob",
  "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
  "coordination.k8s.io/v1beta1": "Lease",
  "discovery.k8s.io/v1beta1": "EndpointSlice",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1": "DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy ReplicaSet Scale",
  "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io/v1beta2": "FlowSchema PriorityLevelConfiguration",
  "flowcontrol.apiserver.k8s.io/v1beta3": "FlowSchema PriorityLevelConfiguration",
  "imagepolicy.k8s.io/v1alpha1": "ImageReview",
  "networking.k8s.io/v1beta1": "Ingress IngressClass",
  "node.k8s.io/v1alpha1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1beta1": "Eviction PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1alpha1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
  "storage.k8s.io/v1beta1": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment",
  v1: "List NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions PodStatusResult RangeAllocation SerializedReference ServiceProxyOptions",
};

/** Registered for every version of every group that the server knows. */
const optionKinds = [
  ...["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions"],
  "WatchEvent",
];

/** Registered for every version of every group, known or not. */
const unversionedKinds = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];

/** Served by programs inside the server that know nothing but their own kinds. */
const apartGroups = ["apiextensions.k8s.io", "apiregistration.k8s.io"];

/** Where a group's kinds are not in the package of the group's first word. */
const otherPackages: { readonly [group: string]: string } = {
  "": "core",
  "events.k8s.io": "core",
  extensions: "apps",
  "internal.apiserver.k8s.io": "apiserverinternal",
};
const otherHomes: { readonly [groupKind: string]: string } = {
  "apps/Scale": "autoscaling",
  "extensions/Scale": "autoscaling",
  "extensions/Ingress": "networking",
  "extensions/IngressList": "networking",
  "extensions/NetworkPolicy": "networking",
  "extensions/NetworkPolicyList": "networking",
};

/** Why a body that says it is `said` is none of `expected`, as upstream words it; undefined if it may be one, in whatever version. */
export function findKindFault(said: GroupVersionKind, expected: GroupVersionKind): string | undefined {
  if (!isRegistered(said, expected.group)) {
    const [kind, version] = [quote(said.kind), quote(printGroupVersion(said))];
    return `no kind ${kind} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const [from, to] = [internalType(said), internalType(expected)];
  return from === to ? undefined : `converting (${externalType(said)}) to (${to}): unknown conversion`;
}

/** Of what a body says it is, to be read as that before it is refused; undefined where the kind has no Go type here. */
export function schemaOfRegistered(said: GroupVersionKind): ObjectSchema | undefined {
  return schemaOfKind({ apiVersion: printGroupVersion(said), kind: said.kind });
}

/** Whether the program that serves the group `by` can read bodies of this kind. */
function isRegistered(said: GroupVersionKind, by: string): boolean {
  if (unversionedKinds.includes(said.kind)) return true;
  if (said.kind === "WatchEvent" && by === "apiextensions.k8s.io") return true;
  if (said.group === by) return isKnownKind(said);
  if (apartGroups.includes(by)) return optionKinds.includes(said.kind) && printGroupVersion(said) === "v1";
  return !apartGroups.includes(said.group) && isKnownKind(said);
}

function isKnownKind(said: GroupVersionKind): boolean {
  const apiVersion = printGroupVersion(said);
  if (schemaOfRegistered(said) !== undefined) return true;
  if (said.version === "__internal") return isKnownVersion(printGroupVersion({ group: said.group, version: "v1" }));
  if (optionKinds.includes(said.kind)) return isKnownVersion(apiVersion);
  const kinds = Object.hasOwn(retired, apiVersion) ? (retired[apiVersion] ?? "") : "";
  return kinds.split(" ").some((kind) => said.kind === kind || said.kind === `${kind}List`);
}

/** OpenAPI lists DeleteOptions under every group and version, but for some that are retired. */
function isKnownVersion(apiVersion: string): boolean {
  return schemaOfKind({ apiVersion, kind: "DeleteOptions" }) !== undefined || Object.hasOwn(retired, apiVersion);
}

function isOfMeta(kind: string): boolean {
  return optionKinds.includes(kind) || unversionedKinds.includes(kind);
}

/** The type of which all versions of a kind are views: `apps.Deployment`. */
function internalType({ group, kind }: GroupVersionKind): string {
  if (isOfMeta(kind)) return `v1.${kind}`;
  const home = otherHomes[`${group}/${kind}`] ?? otherPackages[group] ?? group.split(".")[0];
  return `${home}.${kind}`;
}

function externalType({ version, kind }: GroupVersionKind): string {
  return isOfMeta(kind) ? `v1.${kind}` : `${version}.${kind}`;
}
