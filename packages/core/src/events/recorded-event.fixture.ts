// Events for tests, each with a name of its own.
import type { corev1 } from "../api/index.ts";
import type { RecordedEvent } from "./recorded-event.ts";

export const pod: corev1.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "foo", namespace: "baz", uid: "bar" },
  spec: { containers: [] },
};

export const wallMs = Date.UTC(2030, 0, 1);

let made = 0;

export function recorded(changes: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    name: `foo.${(made++).toString(16)}`,
    type: "Normal",
    reason: "Started",
    note: "some message",
    action: undefined,
    regarding: { apiVersion: "v1", kind: "Pod", namespace: "baz", name: "foo", uid: "bar" },
    related: undefined,
    annotations: undefined,
    source: { component: "test" },
    atMs: wallMs,
    ...changes,
  };
}
