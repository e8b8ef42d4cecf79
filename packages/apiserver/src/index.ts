// `@kubeloop/apiserver`: the embedded API server. Today it holds the version it will speak; storage and protocol come next.
// It may see core's `base`, `api` and `rules` only: it meets the client on the wire, never in code.
export { kubernetesVersion, type VersionInfo } from "./version.ts";
