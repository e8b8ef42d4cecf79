// `api`: typed knowledge of every Kubernetes API, without any network: generated types and tables, keys, selectors,
// quantities, times, patches, Status errors, and the Transport types that client and server meet on.
export type { appsv1, corev1 } from "./generated/types/index.ts";
export { defineResource, type KubernetesObject, type ObjectOf, type Resource, type SubresourceOf } from "./resource.ts";
export { allResources } from "./resources.ts";
