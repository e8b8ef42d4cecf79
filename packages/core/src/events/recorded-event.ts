// An event as it was recorded, before it has the shape of an API: what happened, to which object, who says so, and when.
// Both of Kubernetes' event APIs are written from it, and watchers and logs are told it as it is.
import type { corev1, KubernetesObject } from "../api/index.ts";

export type EventType = "Normal" | "Warning";

/** Who reports. */
export interface EventSource {
  /** The controller: "replicaset-controller", "example.com/foo-controller". */
  readonly component: string;
  /** Which of its processes; component and host name unless given, in the API that asks for one. */
  readonly instance?: string;
  /** The node it reports from, where that means something. */
  readonly host?: string;
}

/** An object, or a reference to one: to a part of it, with `fieldPath`. */
export type EventSubject = KubernetesObject | corev1.ObjectReference;

export interface RecordedEvent {
  /** Unique, and a valid name for an object. */
  readonly name: string;
  readonly type: EventType;
  /** Short, in upper camel case: programs look at it. */
  readonly reason: string;
  /** For people. */
  readonly note: string;
  /** What was done or tried; the new API wants one. */
  readonly action: string | undefined;
  readonly regarding: corev1.ObjectReference;
  readonly related: corev1.ObjectReference | undefined;
  readonly annotations: { readonly [key: string]: string } | undefined;
  readonly source: EventSource;
  /** Wall time. */
  readonly atMs: number;
}

/** Events live beside what they are about; those about objects without a namespace in `default`. */
export function namespaceOf({ regarding }: RecordedEvent): string {
  return regarding.namespace || "default";
}

/** Undefined for what cannot be referred to: an object that does not say what kind it is. */
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

/** To a part of an object: "spec.containers{web}". */
export function toPartialReference(subject: EventSubject, fieldPath: string): corev1.ObjectReference | undefined {
  const reference = toReference(subject);
  return reference === undefined ? undefined : { ...reference, fieldPath };
}

function isObject(subject: EventSubject): subject is KubernetesObject {
  return "metadata" in subject;
}

/** One text for several, such that different ones give different texts. */
export function joinKey(parts: readonly (string | undefined)[]): string {
  return parts.map((part) => part ?? "").join("\0");
}
