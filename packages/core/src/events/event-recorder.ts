// Says what happened to an object, to whoever looks at it: `kubectl describe` shows it.
//
//   recorder.event(pod, "Warning", "FailedMount", "volume not found");
//
// Promise: recording neither waits nor throws, whatever it is given. What cannot be told is logged.
import type { EventSubject, EventType } from "./recorded-event.ts";

/** What happened, in the newer API's words. */
export interface EventDetails {
  readonly regarding: EventSubject;
  /** Another object that has to do with it: the pod that a deployment made, the node a pod was put on. */
  readonly related?: EventSubject | undefined;
  readonly type: EventType;
  /** Short, in upper camel case: "FailedScheduling". Programs look at it. */
  readonly reason: string;
  /** What was done or tried: "Scheduling". The reason unless given. */
  readonly action?: string | undefined;
  /** For people. */
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
