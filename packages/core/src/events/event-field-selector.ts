// How to ask a server for the events about an object: a field selector, in the words of either API.
import { type FieldSelector, fieldSelectorFrom } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { EventSink } from "./event-sink.ts";
import { type EventSubject, toReference } from "./recorded-event.ts";

/** What is not known of the object is not asked for. */
export function eventFieldSelector(api: EventSink["api"], about: EventSubject): FieldSelector {
  const { name, kind, apiVersion, uid } = toReference(about) ?? {};
  const field = fieldOf(api);
  const wanted = Object.entries({ name, kind, apiVersion, uid }).flatMap(([part, value]) =>
    value ? [[`${field}.${part}`, value] as const] : [],
  );
  return fieldSelectorFrom(Object.fromEntries(wanted));
}

function fieldOf(api: EventSink["api"]): string {
  switch (api) {
    case "v1":
      return "involvedObject";
    case "events.k8s.io/v1":
      return "regarding";
    default:
      return assertNever(api);
  }
}
