// From the events of controllers' plans to a recorder: fits where a controller driver wants to know what to do with them.
import type { EventAction } from "../contract/for-drivers.ts";
import type { EventRecorder } from "./event-recorder.ts";

export function recordEventActions(recorder: EventRecorder): (event: EventAction) => void {
  return ({ about, eventType, reason, message }) => recorder.event(about, eventType, reason, message);
}
