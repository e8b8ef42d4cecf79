// `base`: the small machinery every loop uses. It knows no Kubernetes.
export { assertNever, isAborted, KubeloopError, type KubeloopErrorOptions, type RetryHint, toError } from "./errors.ts";
