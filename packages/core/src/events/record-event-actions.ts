// Passes the events in a controller's plan to a recorder. It is what a controller driver takes as its event callback.
import type { EventAction } from "../contract/for-drivers.ts";
import type { EventRecorder } from "./event-recorder.ts";

export function recordEventActions(recorder: EventRecorder): (event: EventAction) => void {
  return ({ about, eventType, reason, message }) => recorder.event(about, eventType, reason, message);
}
