// What must hold of an event, as it is stored. Old clients of the core API are asked for little; an event with a time of its own must
// say who reports it; and who writes through events.k8s.io may not use what only old clients use, nor change what was said.
import { type corev1, validateDns1123Subdomain, validateQualifiedName } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import type { ObjectPaths } from "../shared/object-faults.ts";
import { isSame } from "../shared/same.ts";
import { isGivenAsZero } from "./zero-times.ts";

type Event = corev1.Event;

const notMatching = "does not match event.namespace";
const longestWord = 128;
const longestMessage = 1024;

/** For everybody. `reporter` is what the version of the request calls the reporting controller. */
export function checkAnyEvent(
  event: Event,
  at: ObjectPaths,
  reporter: "reportingComponent" | "reportingController",
): void {
  const namespace = event.metadata.namespace ?? "";
  const about = event.involvedObject.namespace ?? "";
  if (!isAbout(namespace, about, isTimed(event))) at("involvedObject").at("namespace").invalid(about, notMatching);
  if (isTimed(event)) checkReport(event, at, reporter);
  at("namespace").invalidFor(namespace, validateDns1123Subdomain(namespace));
}

const isTimed = (event: Event) => !isAbsent(event.eventTime) || isGivenAsZero(event, "eventTime");

/** What is in no namespace is told in the default one; newer clients may also use kube-system, and whatever namespace they like. */
function isAbout(namespace: string, about: string, isTimedEvent: boolean): boolean {
  if (about === "") return ["default", isTimedEvent ? "kube-system" : ""].includes(namespace);
  return isTimedEvent || namespace === about;
}

function checkReport(event: Event, at: ObjectPaths, reporter: string): void {
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  if (reportingComponent === "") at(reporter).required();
  at(reporter).invalidFor(reportingComponent, validateQualifiedName(reportingComponent));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === "") at(field).required();
    checkLength(text, longestWord, at, field);
  }
  checkLength(message, longestMessage, at, "message");
}

function checkLength(text: string, longest: number, at: ObjectPaths, field: string): void {
  if (Buffer.byteLength(text) > longest) at(field).invalid("", `can have at most ${longest} characters`);
}

/** A new one through events.k8s.io. */
export function checkNewEvent(event: Event, at: ObjectPaths): void {
  const { type = "" } = event;
  checkSeries(event, at);
  if (!isTimed(event)) at("eventTime").required();
  if (type !== "Normal" && type !== "Warning") at("type").invalid("", `has invalid value: ${type}`);
  const { source = {} } = event;
  const old = {
    firstTimestamp: event.firstTimestamp || isGivenAsZero(event, "firstTimestamp") || undefined,
    lastTimestamp: event.lastTimestamp || isGivenAsZero(event, "lastTimestamp") || undefined,
    count: event.count || undefined,
    source: source.component || source.host,
  };
  for (const [field, value] of Object.entries(old)) {
    if (value !== undefined && value !== "") at(field).invalid("", "needs to be unset");
  }
}

/** The next version of one through events.k8s.io: only a series goes on. */
export function checkChangedEvent(event: Event, old: Event, at: ObjectPaths): void {
  const isSeriesSame = isSame(event.series, old.series) && !isGivenAsZero(event, "series.lastObservedTime");
  if (!isSeriesSame) checkSeries(event, at);
  for (const [field, name] of fixedFields) {
    const value = shown(field, event[name]);
    if (!isSame(value, shown(field, old[name]))) at(field).invalid(value, "field is immutable");
  }
}

const fixedFields = [
  ["involvedObject", "involvedObject"],
  ["reason", "reason"],
  ["message", "message"],
  ["source", "source"],
  ["firstTimestamp", "firstTimestamp"],
  ["lastTimestamp", "lastTimestamp"],
  ["count", "count"],
  // Said twice, as upstream does.
  ["reason", "reason"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingController", "reportingComponent"],
  ["reportingInstance", "reportingInstance"],
] as const;

function checkSeries(event: Event, at: ObjectPaths): void {
  const { series } = event;
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) at("series.count").invalid("", "should be at least 2");
  const isObserved = !isAbsent(series.lastObservedTime) || isGivenAsZero(event, "series.lastObservedTime");
  if (!isObserved) at("series.lastObservedTime").required();
}

/** As the server itself holds it. */
function shown(field: string, value: unknown): unknown {
  switch (field) {
    case "involvedObject":
      return shownReference((value ?? {}) as corev1.ObjectReference);
    case "related":
      return value === undefined || value === null ? null : shownReference(value as corev1.ObjectReference);
    case "source": {
      const { component = "", host = "" } = (value ?? {}) as corev1.EventSource;
      return { Component: component, Host: host };
    }
    case "count":
      return value ?? 0;
    case "firstTimestamp":
    case "lastTimestamp":
    case "eventTime":
      return value ?? null;
    default:
      return value ?? "";
  }
}

function shownReference(reference: corev1.ObjectReference): Readonly<Record<string, string>> {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = reference;
  return {
    Kind: kind ?? "",
    Namespace: namespace ?? "",
    Name: name ?? "",
    UID: uid ?? "",
    APIVersion: apiVersion ?? "",
    ResourceVersion: resourceVersion ?? "",
    FieldPath: fieldPath ?? "",
  };
}
