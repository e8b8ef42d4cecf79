// The words of the faults are a real server's: recorded from events.k8s.io/v1 of 1.36.
import { type corev1, type eventsv1, type Fault, printFaults } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { eventRules } from "../core/event.ts";
import type { Draft, RuleContext } from "../kind-rules.ts";
import { eventsVersion } from "./event.ts";
import { fromCoreEvent, toCoreEvent } from "./event-conversion.ts";

const whole: eventsv1.Event = {
  kind: "Event",
  apiVersion: "events.k8s.io/v1",
  metadata: { name: "e", namespace: "default" },
  eventTime: "2024-01-01T00:00:00.000000Z",
  series: { count: 2, lastObservedTime: "2024-01-01T00:00:01.000000Z" },
  reportingController: "a/b",
  reportingInstance: "i",
  action: "x",
  reason: "r",
  regarding: { kind: "Pod", namespace: "default", name: "p" },
  related: { kind: "Node", name: "n" },
  note: "said",
  type: "Normal",
  deprecatedSource: { component: "c", host: "h" },
  deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
  deprecatedLastTimestamp: "2024-01-02T00:00:00Z",
  deprecatedCount: 3,
};

const stored = (event: object) => toCoreEvent(structuredClone(event) as Draft<eventsv1.Event>) as corev1.Event;

test("who writes through events.k8s.io gives a name that is a subdomain", () => {
  const { checkName } = eventsVersion.metadata ?? {};
  expect(checkName?.("A", false, stored(whole))).toEqual([expect.stringMatching(/^a lowercase RFC 1123 subdomain/)]);
  expect(checkName?.("a.b", false, stored(whole))).toEqual([]);
});

describe("the two spellings", () => {
  test("hold the same", () => expect(fromCoreEvent(stored(whole))).toEqual(whole));

  test("are told apart by their words", () => {
    expect(stored(whole)).toEqual({
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e", namespace: "default" },
      involvedObject: { kind: "Pod", namespace: "default", name: "p" },
      reason: "r",
      message: "said",
      source: { component: "c", host: "h" },
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2024-01-02T00:00:00Z",
      count: 3,
      type: "Normal",
      eventTime: "2024-01-01T00:00:00.000000Z",
      series: { count: 2, lastObservedTime: "2024-01-01T00:00:01.000000Z" },
      action: "x",
      related: { kind: "Node", name: "n" },
      reportingComponent: "a/b",
      reportingInstance: "i",
    });
  });

  test("leave out and print empty what the other does not", () => {
    const empty = {
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      metadata: { name: "e" },
      eventTime: null,
      regarding: {},
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    };
    const core = stored(empty);
    expect(core).toEqual({
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e" },
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    });
    expect(fromCoreEvent(core)).toEqual(empty);
  });
});

const { series: _series, related: _related, note: _note, ...plain } = whole;
const fresh = {
  ...plain,
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
  deprecatedCount: undefined,
};
const context: RuleContext = { nowMs: 0, isDryRun: false, user: { name: "u", uid: undefined, groups: [], extra: {} } };
const print = (faults: readonly Fault[] | undefined) => (faults?.length ? printFaults(faults) : "");

describe("a new event through events.k8s.io", () => {
  for (const [what, changes, expected] of [
    ["is right", {}, ""],
    ["may be of a series", { series: whole.series }, ""],
    [
      "needs a time and a type",
      { eventTime: null, type: "Odd" },
      '[eventTime: Required value, type: Invalid value: "": has invalid value: Odd]',
    ],
    [
      "says nothing that old clients say",
      {
        deprecatedCount: 1,
        deprecatedSource: { host: "h" },
        deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
        deprecatedLastTimestamp: "2024-01-01T00:00:00Z",
      },
      '[firstTimestamp: Invalid value: "": needs to be unset, lastTimestamp: Invalid value: "": needs to be unset, count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]',
    ],
    [
      "has a series of at least two",
      { series: { count: 1, lastObservedTime: null } },
      '[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value]',
    ],
    ["says who reports", { reportingController: "" }, /^\[reportingController: Required value, reportingController: /],
  ] as const) {
    test(what, () => {
      const event = stored({ ...fresh, ...changes });
      const first = eventsVersion.validateFirst?.(event) ?? [];
      const printed = print([...first, ...(eventsVersion.validate?.(event, context) ?? [])]);
      if (typeof expected === "string") expect(printed).toBe(expected);
      else expect(printed).toMatch(expected);
    });
  }
});

describe("an event that is written again through events.k8s.io", () => {
  for (const [what, changes, expected] of [
    ["may stay as it is", {}, ""],
    ["may go on as a series", { series: whole.series }, ""],
    [
      "says what it said",
      {
        eventTime: "2024-01-01T00:00:01.000000Z",
        reportingController: "a/c",
        reportingInstance: "i2",
        reason: "r2",
        note: "n",
        type: "Warning",
        regarding: { kind: "Pod", namespace: "default", name: "p2" },
        related: { kind: "Node" },
        deprecatedCount: 2,
        series: { count: 1, lastObservedTime: null },
      },
      '[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value, involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"p2","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable, reason: Invalid value: "r2": field is immutable, message: Invalid value: "n": field is immutable, count: Invalid value: 2: field is immutable, type: Invalid value: "Warning": field is immutable, eventTime: Invalid value: "2024-01-01T00:00:01.000000Z": field is immutable, related: Invalid value: {"Kind":"Node","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable, reportingController: Invalid value: "a/c": field is immutable, reportingInstance: Invalid value: "i2": field is immutable]',
    ],
  ] as const) {
    test(what, () => {
      const faults = eventsVersion.validateUpdate?.(stored({ ...fresh, ...changes }), stored(fresh), context);
      expect(print(faults)).toBe(expected);
    });
  }
});

describe("a time that is the first moment of the year 1", () => {
  const zero = "0001-01-01T00:00:00Z";
  const zeroMicro = "0001-01-01T00:00:00.000000Z";
  const sent = (changes: object) => {
    const draft = stored({ ...fresh, ...changes }) as Draft<corev1.Event>;
    eventRules.defaults?.(draft);
    // Also when it is done again.
    eventRules.defaults?.(draft);
    return draft;
  };
  const series = (count: number) => ({ series: { count, lastObservedTime: zeroMicro } });

  test("is stored as none", () => {
    const draft = sent({ eventTime: zeroMicro, deprecatedFirstTimestamp: zero, ...series(2) });
    expect(draft).toMatchObject({
      eventTime: null,
      firstTimestamp: null,
      series: { count: 2, lastObservedTime: null },
    });
  });

  for (const [what, changes, expected] of [
    ["is the time of an event", { eventTime: zeroMicro }, ""],
    ["is when a series was last seen", series(2), ""],
    [
      "may not be where old clients say it",
      { deprecatedFirstTimestamp: zero },
      /^firstTimestamp: .*needs to be unset$/,
    ],
    ["nor at its end", { deprecatedLastTimestamp: zero }, /^lastTimestamp: .*needs to be unset$/],
  ] as const) {
    test(what, () => {
      const faults = print(eventsVersion.validate?.(sent(changes), context));
      if (typeof expected === "string") expect(faults).toBe(expected);
      else expect(faults).toMatch(expected);
    });
  }

  test("makes the core API ask who reports", () => {
    const event = sent({ eventTime: zeroMicro, reportingInstance: "" });
    expect(print(eventRules.validate?.(event, context))).toBe("reportingInstance: Required value");
    expect(print(eventRules.validate?.(sent({ eventTime: null, reportingInstance: "" }), context))).toBe("");
  });

  test("is the same as none that is stored, but a series with it is looked at again", () => {
    const old = stored({ ...fresh, eventTime: null, series: { count: 1, lastObservedTime: null } });
    const again = { eventTime: zeroMicro, deprecatedFirstTimestamp: zero };
    expect(print(eventsVersion.validateUpdate?.(sent({ ...again, series: old.series }), old, context))).toBe("");
    expect(print(eventsVersion.validateUpdate?.(sent({ ...again, ...series(1) }), old, context))).toBe(
      'series.count: Invalid value: "": should be at least 2',
    );
  });
});

describe("is found", () => {
  test("by the core API's names", () => {
    expect(eventRules.selectableFields?.valuesOf(stored({ ...whole, deprecatedSource: {} }))).toEqual({
      "involvedObject.kind": "Pod",
      "involvedObject.namespace": "default",
      "involvedObject.name": "p",
      "involvedObject.uid": "",
      "involvedObject.apiVersion": "",
      "involvedObject.resourceVersion": "",
      "involvedObject.fieldPath": "",
      reason: "r",
      reportingComponent: "a/b",
      source: "a/b",
      type: "Normal",
    });
  });

  test("by the names of events.k8s.io", () => {
    const values = eventsVersion.selectableFields?.valuesOf(whole) ?? {};
    expect(Object.keys(values).toSorted()).toEqual(eventsVersion.selectableFields?.names.toSorted());
    expect(values).toMatchObject({ "regarding.name": "p", reportingController: "a/b" });
  });
});

describe("is shown", () => {
  const nowMs = Date.UTC(2024, 0, 2, 12);
  for (const [what, event, cells] of [
    ["as a series", whole, ["35h", "Normal", "r", "pod/p", "", "c, h", "said", "36h", 2, "e"]],
    ["as told once", fresh, ["36h", "Normal", "r", "pod/p", "", "a/b, i", "", "36h", 1, "e"]],
    [
      "as counted",
      { ...whole, series: undefined, note: " m\n", regarding: { kind: "Node", fieldPath: "spec" } },
      ["12h", "Normal", "r", "node", "spec", "c, h", "m", "36h", 3, "e"],
    ],
    [
      "without a time",
      { ...fresh, eventTime: null, reportingInstance: "" },
      ["<unknown>", "Normal", "r", "pod/p", "", "a/b", "", "<unknown>", 1, "e"],
    ],
  ] as const) {
    test(what, () => {
      expect(eventRules.printRow?.(stored(event), { nowMs })).toEqual(cells);
    });
  }
});
