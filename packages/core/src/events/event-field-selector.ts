// Builds the field selector that finds the events about an object, for either event API.
import { type FieldSelector, fieldSelectorFrom } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import type { EventSink } from "./event-sink.ts";
import { type EventSubject, toReference } from "./recorded-event.ts";

/** Fields that the reference does not have are left out of the selector. */
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
