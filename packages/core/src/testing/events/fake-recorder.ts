// An EventRecorder that stores the events it receives, for tests of code that records events. It needs no broadcaster and no server.
//
//   const recorder = new FakeRecorder();
//   …
//   expect(recorder.events).toEqual(["Warning FailedCreate quota exceeded"]);
import { deepFreeze } from "../../base/index.ts";
import type { EventDetails, EventRecorder } from "../../events/index.ts";

export class FakeRecorder implements EventRecorder {
  /** All events since the last `take`, oldest first. */
  readonly recorded: EventDetails[] = [];

  /** Type, reason and note of each event, oldest first. */
  get events(): readonly string[] {
    return this.recorded.map(({ type, reason, note }) => `${type} ${reason} ${note}`);
  }

  event(...[regarding, type, reason, note]: Parameters<EventRecorder["event"]>): void {
    this.eventf({ regarding, type, reason, note });
  }

  annotatedEvent(...[regarding, annotations, type, reason, note]: Parameters<EventRecorder["annotatedEvent"]>): void {
    this.eventf({ regarding, annotations, type, reason, note });
  }

  eventf(event: EventDetails): void {
    this.recorded.push(deepFreeze(structuredClone(event)));
  }

  /** Returns the recorded events and deletes them from the recorder. */
  take(): readonly string[] {
    const { events } = this;
    this.recorded.length = 0;
    return events;
  }
}
