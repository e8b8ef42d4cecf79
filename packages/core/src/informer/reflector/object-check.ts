// Checks the objects that a source sends. A cache of pods holds only pods: other objects are dropped and reported.
import type { KubernetesObject } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import type { ObjectKind } from "./lister-watcher.ts";

/** Says what was dropped, and why. */
export class DroppedObjectError extends KubeloopError {
  constructor(fault: string) {
    super(`dropped an object that the server sent: ${fault}`, { reason: "UnexpectedObject", retry: "never" });
  }
}

/** Returns what is wrong with the object; undefined if nothing is. A Table is always wrong. */
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
 * Returns the object with apiVersion and kind filled in, if only those are missing, as in list items of the official JavaScript
 * client. Returns undefined if something else is wrong with it.
 */
export function withKind<T extends KubernetesObject>(object: T, expected: ObjectKind | undefined): T | undefined {
  if (expected === undefined || !hasMetadata(object)) return undefined;
  const { kind = expected.kind, apiVersion = expected.apiVersion } = object as Partial<ObjectKind>;
  if (kind !== expected.kind || apiVersion !== expected.apiVersion) return undefined;
  return { ...object, apiVersion, kind };
}

/** The rows of `kubectl get`, which a server sends if the Accept header requests them by mistake. */
export function isTable({ kind, apiVersion }: ObjectKind): boolean {
  return kind === "Table" && (apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1");
}

// The types promise metadata; custom sources may not keep the promise.
function hasMetadata(object: Partial<KubernetesObject> | null | undefined): boolean {
  return typeof object?.metadata === "object" && object.metadata !== null;
}
