// `events`: tells people what controllers do, as Kubernetes events on the objects they do it to. Start with event-broadcaster.ts;
// what is counted, told together or left out is decided in event-correlator.ts and event-series.ts, and write-decision.ts says
// what comes of a write that fails. docs/events.md is a tour.
//
// Promises that recording never waits nor throws. Does not promise that every event arrives: what had to be dropped is counted.
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
