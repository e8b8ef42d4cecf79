// `events`: reports what controllers do, as Kubernetes events about the objects they work on. Start with event-broadcaster.ts.
// event-correlator.ts and event-series.ts decide which events are counted, aggregated or filtered, and write-decision.ts decides
// what happens after a failed write. docs/events.md is a tour.
//
// Promises that recording never waits or throws. Does not promise that every event arrives: dropped events are counted.
export {
  defaultWriterLimits,
  EventBroadcaster,
  type EventBroadcasterOptions,
} from "./event-broadcaster.ts";
export { type CorrelatorPolicy, defaultCorrelatorPolicy, EventCorrelator } from "./event-correlator.ts";
export { eventFieldSelector } from "./event-field-selector.ts";
export type { EventDetails, EventRecorder } from "./event-recorder.ts";
export { defaultSeriesPolicy, EventSeries, type EventSeriesOptions, type SeriesPolicy } from "./event-series.ts";
export {
  type CoreEventSink,
  coreEventSink,
  type EventSink,
  type EventWrites,
  type SeriesEventSink,
  seriesEventSink,
  servedEventSink,
} from "./event-sink.ts";
export type { EventListener } from "./event-watcher.ts";
export type { EventWrite } from "./event-write.ts";
export type { WriterLimits } from "./event-writer.ts";
export { recordEventActions } from "./record-event-actions.ts";
export {
  type EventSource,
  type EventSubject,
  type EventType,
  type RecordedEvent,
  toPartialReference,
  toReference,
} from "./recorded-event.ts";
export type { DropReason, WritePolicy } from "./write-decision.ts";
