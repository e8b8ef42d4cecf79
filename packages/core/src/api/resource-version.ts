// Compares resourceVersions of one resource, which is allowed since Kubernetes 1.35: they are decimal numbers of any length. Zero,
// leading zeros and other characters are rejected: "0" and "" have a special meaning in lists and watches.
import { KubeloopError } from "../base/errors.ts";

export class ResourceVersionError extends KubeloopError {
  constructor(version: string) {
    super(`resource version is not well formed: ${version}`, { reason: "InvalidResourceVersion", retry: "never" });
  }
}

/** Whether `version` is one that `compareResourceVersions` accepts. */
export function isResourceVersion(version: string): boolean {
  const first = version.charCodeAt(0);
  // NaN, for empty text, fails both comparisons.
  if (!(first >= 0x31 && first <= 0x39)) return false;
  for (let i = 1; i < version.length; i++) {
    const code = version.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Meaningful only for two versions of the same resource. Throws a ResourceVersionError. */
export function compareResourceVersions(left: string, right: string): -1 | 0 | 1 {
  if (!isResourceVersion(left)) throw new ResourceVersionError(left);
  if (!isResourceVersion(right)) throw new ResourceVersionError(right);
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
