// An event as it was recorded, independent of the API: what happened, to which object, reported by whom, and when.
// Sinks of both event APIs are written from it; watchers and logs receive it unchanged.
import type { corev1, KubernetesObject } from "../api/index.ts";

export type EventType = "Normal" | "Warning";

/** Who reports the event. */
export interface EventSource {
  /** The controller: "replicaset-controller", "example.com/foo-controller". */
  readonly component: string;
  /** Which process of the component. Default, in the API that requires one: component and host name. */
  readonly instance?: string;
  /** The node that reports, where there is one. */
  readonly host?: string;
}

/** An object, or a reference to an object or, with `fieldPath`, to a part of it. */
export type EventSubject = KubernetesObject | corev1.ObjectReference;

export interface RecordedEvent {
  /** Unique, and a valid object name. */
  readonly name: string;
  readonly type: EventType;
  /** Short, in upper camel case: programs read it. */
  readonly reason: string;
  /** A text for people. */
  readonly note: string;
  /** What was done or tried; events.k8s.io/v1 requires one. */
  readonly action: string | undefined;
  readonly regarding: corev1.ObjectReference;
  readonly related: corev1.ObjectReference | undefined;
  readonly annotations: { readonly [key: string]: string } | undefined;
  readonly source: EventSource;
  /** Wall time. */
  readonly atMs: number;
}

/** Events are in the namespace of the object they are about; events about cluster-scoped objects are in `default`. */
export function namespaceOf({ regarding }: RecordedEvent): string {
  return regarding.namespace || "default";
}

/** Undefined for an object without kind or apiVersion, because it cannot be referenced. */
export function toReference(subject: EventSubject): corev1.ObjectReference | undefined {
  if (!isObject(subject)) return subject;
  const { apiVersion, kind, metadata } = subject;
  if (!apiVersion || !kind) return undefined;
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Returns a reference to a part of an object: "spec.containers{web}". */
export function toPartialReference(subject: EventSubject, fieldPath: string): corev1.ObjectReference | undefined {
  const reference = toReference(subject);
  return reference === undefined ? undefined : { ...reference, fieldPath };
}

function isObject(subject: EventSubject): subject is KubernetesObject {
  return "metadata" in subject;
}

/** Joins parts into one key; different parts give different keys. An absent part counts as empty. */
export function joinKey(parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? "").join("\0");
}
