// Records what happened to an object, as a Kubernetes event: `kubectl describe` shows it.
//
//   recorder.event(pod, "Warning", "FailedMount", "volume not found");
//
// Promise: recording neither waits nor throws, whatever the arguments. An event that cannot be recorded is logged.
import type { EventSubject, EventType } from "./recorded-event.ts";

/** The details of an event, with the field names of events.k8s.io/v1. */
export interface EventDetails {
  readonly regarding: EventSubject;
  /** Another object that is involved: the pod that a deployment created, the node that a pod was bound to. */
  readonly related?: EventSubject | undefined;
  readonly type: EventType;
  /** Short, in upper camel case: "FailedScheduling". Programs read it. */
  readonly reason: string;
  /** What was done or tried: "Scheduling". Default: the reason. */
  readonly action?: string | undefined;
  /** A text for people. */
  readonly note: string;
  readonly annotations?: { readonly [key: string]: string } | undefined;
}

export interface EventRecorder {
  event(about: EventSubject, type: EventType, reason: string, message: string): void;
  annotatedEvent(
    about: EventSubject,
    annotations: { readonly [key: string]: string },
    type: EventType,
    reason: string,
    message: string,
  ): void;
  eventf(event: EventDetails): void;
}
