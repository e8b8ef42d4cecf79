import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObjectKey } from "../../api/index.ts";
import type { EventCause, EventDetails, Notification } from "../handler/handlers.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import { coalesce, countInitial, type Pending } from "./coalesce.ts";

type State = string;
const because = (cause: EventCause, isInInitialList = false): EventDetails => ({ cause, isInInitialList });
const change = because("change");
const add = (object: State, details = change): Notification<State> => ({ type: "add", object, details });
const update = (before: State, after: State, details = change): Notification<State> => ({
  type: "update",
  before,
  after,
  details,
});
const gone = (last: State, details = change): Notification<State> => ({ type: "delete", gone: last, details });

const rows: readonly [fact: string, told: Pending<State>, left: Pending<State>][] = [
  ["add and update are an add of the newest", [add("a1"), update("a1", "a2")], [add("a2")]],
  [
    "an add stays part of the first list",
    [add("a1", because("initial", true)), update("a1", "a2")],
    [add("a2", because("initial", true))],
  ],
  ["add and delete are nothing", [add("a1"), gone("a1")], []],
  ["what comes after nothing is as it is", [add("a1"), gone("a1"), add("b1")], [add("b1")]],
  ["updates keep the first old and the last new", [update("a1", "a2"), update("a2", "a3")], [update("a1", "a3")]],
  ["update and delete are the delete", [update("a1", "a2"), gone("a3")], [gone("a3")]],
  ["delete and add stay two: another object has the name", [gone("a2"), add("b1")], [gone("a2"), add("b1")]],
  [
    "what happens to the other one is merged with its add",
    [gone("a2"), add("b1"), update("b1", "b2")],
    [gone("a2"), add("b2")],
  ],
  ["when the other one goes, the first one's end remains", [gone("a2"), add("b1"), gone("b1")], [gone("a2")]],
  ["a second delete is the last word", [gone("a2"), gone("a3")], [gone("a3")]],
  [
    "a resync adds nothing to a change",
    [update("a1", "a2"), update("a2", "a2", because("resync"))],
    [update("a1", "a2")],
  ],
  [
    "a change makes a resync a change",
    [update("a1", "a1", because("resync")), update("a1", "a2")],
    [update("a1", "a2")],
  ],
  [
    "two resyncs are one",
    [update("a1", "a1", because("resync")), update("a1", "a1", because("resync"))],
    [update("a1", "a1", because("resync"))],
  ],
  [
    "a relist among changes is not known to be all",
    [update("a1", "a2"), update("a2", "a3", because("relist"))],
    [update("a1", "a3", because("relist"))],
  ],
];

const merge = (told: Pending<State>) => told.reduce<Pending<State>>(coalesce, []);

describe("what is left to tell", () => {
  for (const [fact, told, left] of rows) test(fact, () => expect(merge(told)).toEqual(left));

  test("a tombstone is kept as the last word", () => {
    const tombstone = new DeletedFinalStateUnknown<State>("a" as ObjectKey, undefined);
    const last: Notification<State> = { type: "delete", gone: tombstone, details: because("relist") };
    expect(merge([update("a1", "a2"), last])).toEqual([last]);
  });

  test("counts what is part of the first list", () => {
    expect(countInitial([add("a1", because("initial", true)), add("b1"), gone("a1")])).toBe(1);
  });

  // A handler that knows `known`, and a history of the object from there on.
  const history = fc.record({
    isKnown: fc.boolean(),
    steps: fc.array(fc.constantFrom("change", "resync", "go"), { maxLength: 12 }),
  });

  function tellAll(
    isKnown: boolean,
    steps: readonly string[],
  ): { readonly told: Pending<State>; readonly now: State | undefined } {
    let now: State | undefined = isKnown ? "s0" : undefined;
    let version = 0;
    const told: Notification<State>[] = [];
    for (const step of steps) {
      const next = `s${++version}`;
      if (now === undefined) told.push(add(next));
      else if (step === "change") told.push(update(now, next));
      else if (step === "resync") told.push(update(now, now, because("resync")));
      else told.push(gone(next));
      const isGone = now !== undefined && step === "go";
      const isSame = now !== undefined && step === "resync";
      now = isGone ? undefined : isSame ? now : next;
    }
    return { told, now };
  }

  test("a handler that hears only what is left knows the same in the end, and each old state is the one it knew", () => {
    fc.assert(
      fc.property(history, ({ isKnown, steps }) => {
        const { told, now } = tellAll(isKnown, steps);
        const left = merge(told);
        expect(left.length).toBeLessThanOrEqual(2);
        let knows: State | undefined = isKnown ? "s0" : undefined;
        for (const each of left) {
          if (each.type === "add") expect(knows).toBeUndefined();
          if (each.type === "update") expect(each.before).toBe(knows);
          if (each.type === "delete") expect(knows).toBeDefined();
          knows = each.type === "add" ? each.object : each.type === "update" ? each.after : undefined;
        }
        expect(knows).toBe(now);
      }),
    );
  });
});
