// Whether what a source sent is what it should be. A cache of pods holds pods: whatever else comes is dropped, and says so.
import type { KubernetesObject } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type { ObjectKind } from "./lister-watcher.ts";

/** What was dropped, and why. */
export class DroppedObjectError extends KubeloopError {
  constructor(fault: string) {
    super(`dropped what the server sent: ${fault}`, { reason: "UnexpectedObject", retry: "never" });
  }
}

/** What is wrong with the object; undefined when nothing is. Tables never belong into a cache. */
export function findObjectFault(object: KubernetesObject, expected: ObjectKind | undefined): string | undefined {
  if (!hasMetadata(object)) return "it has no metadata";
  const { kind, apiVersion } = object;
  if (expected === undefined ? !isTable(object) : kind === expected.kind && apiVersion === expected.apiVersion) {
    return undefined;
  }
  return expected === undefined
    ? "it is a table"
    : `it is a ${kind} of ${apiVersion}, not a ${expected.kind} of ${expected.apiVersion}`;
}

/**
 * The object as it should be, where its source left out what kind it is, as the official JavaScript client does with the items
 * of a list. Undefined where that is not all that is wrong with it.
 */
export function withKind<T extends KubernetesObject>(object: T, expected: ObjectKind | undefined): T | undefined {
  if (expected === undefined || !hasMetadata(object)) return undefined;
  const { kind = expected.kind, apiVersion = expected.apiVersion } = object as Partial<ObjectKind>;
  if (kind !== expected.kind || apiVersion !== expected.apiVersion) return undefined;
  return { ...object, apiVersion, kind };
}

/** The rows of `kubectl get`, which a server sends to whoever asks for them by mistake. */
export function isTable({ kind, apiVersion }: ObjectKind): boolean {
  return kind === "Table" && (apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1");
}

// Types say so; sources of one's own may not keep to them.
function hasMetadata(object: Partial<KubernetesObject> | null | undefined): boolean {
  return typeof object?.metadata === "object" && object.metadata !== null;
}
