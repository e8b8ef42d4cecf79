import { describe, expect, test } from "vitest";
import type { Notification } from "../handler/handlers.ts";
import { CoalescingQueue } from "./coalescing-queue.ts";

type State = `${string}${number}`;
const details = { cause: "change", isInInitialList: false } as const;
const initial = { cause: "initial", isInInitialList: true } as const;
const add = (object: State): Notification<State> => ({ type: "add", object, details });
const firstAdd = (object: State): Notification<State> => ({ type: "add", object, details: initial });
const update = (before: State, after: State): Notification<State> => ({ type: "update", before, after, details });
const gone = (last: State): Notification<State> => ({ type: "delete", gone: last, details });
const stateOf = (told: Notification<State>) =>
  told.type === "add" ? told.object : told.type === "update" ? told.after : (told.gone as State);

function makeQueue(maxQueued: number) {
  const dropped: number[] = [];
  const queue = new CoalescingQueue<State>({
    maxQueued,
    keyOf: (told) => stateOf(told).replace(/\d+/, ""),
    onInitialDropped: (count) => dropped.push(count),
  });
  const drain = () => {
    const out: Notification<State>[] = [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) out.push(next);
    return out;
  };
  return { queue, dropped, drain };
}

describe("a queue that merges by object", () => {
  test("keeps everything as it came up to its limit", () => {
    const { queue, drain } = makeQueue(3);
    const told = [add("a1"), update("a1", "a2"), gone("a3")];
    for (const each of told) queue.push(each);
    expect(queue.size).toBe(3);
    expect(drain()).toEqual(told);
  });

  test("beyond it, merges what comes into the last that waits for the object", () => {
    const { queue, drain } = makeQueue(2);
    for (const each of [add("a1"), update("a1", "a2"), update("a2", "a3"), update("a3", "a4")]) queue.push(each);
    expect(drain()).toEqual([add("a1"), update("a1", "a4")]);
  });

  test("still knows the last that waits for an object after an earlier one has been told", () => {
    const { queue, drain } = makeQueue(2);
    for (const each of [add("a1"), update("a1", "a2")]) queue.push(each);
    expect(queue.shift()).toEqual(add("a1"));
    for (const each of [add("b1"), update("a2", "a3")]) queue.push(each);
    expect(drain()).toEqual([update("a1", "a3"), add("b1")]);
  });

  test("beyond it, an object that waits for nothing still gets its place", () => {
    const { queue, drain } = makeQueue(1);
    for (const each of [add("a1"), add("b1"), update("b1", "b2"), update("a1", "a2")]) queue.push(each);
    expect(drain()).toEqual([add("a2"), add("b2")]);
  });

  test("grows by no more than one entry for each object, whatever happens to them", () => {
    const { queue } = makeQueue(5);
    const states = new Map<string, State | undefined>();
    let most = { entries: 0, size: 0 };
    for (let step = 0; step < 10_000; step++) {
      const key = "abc"[step % 3] as string;
      const before = states.get(key);
      const after: State = `${key}${step}`;
      if (before === undefined) queue.push(add(after));
      else if (step % 7 === 0) queue.push(gone(after));
      else queue.push(update(before, after));
      states.set(key, before !== undefined && step % 7 === 0 ? undefined : after);
      most = { entries: Math.max(most.entries, queue.entries), size: Math.max(most.size, queue.size) };
    }
    expect(most.entries).toBeLessThanOrEqual(5 + 3);
    expect(most.size).toBeLessThanOrEqual(5 + 3 * 2);
  });

  test("leaves out what came and went, and has nothing left then", () => {
    const { queue, drain } = makeQueue(1);
    for (const each of [add("a1"), gone("a1")]) queue.push(each);
    expect(queue.size).toBe(0);
    expect(drain()).toEqual([]);
    queue.push(add("a2"));
    expect(drain()).toEqual([add("a2")]);
  });

  test("does not grow with objects that come and go, whose names never come back", () => {
    const { queue, drain } = makeQueue(2);
    for (const each of [add("a1"), add("b1")]) queue.push(each);
    let most = 0;
    for (let step = 0; step < 1000; step++) {
      const name = [...`${step}`].map((digit) => "klmnopqrst"[Number(digit)]).join("");
      for (const each of [add(`${name}1`), gone(`${name}1`)]) queue.push(each);
      most = Math.max(most, queue.entries);
    }
    queue.push(add("c1"));
    expect([most, queue.size]).toEqual([4, 3]);
    expect(drain()).toEqual([add("a1"), add("b1"), add("c1")]);
    expect(queue.entries).toBe(0);
  });

  test("tells of an object that came, went and came again where it still has a place, or at the end", () => {
    const { queue, drain } = makeQueue(1);
    for (const each of [add("a1"), add("b1"), add("c1"), gone("b1"), add("b2")]) queue.push(each);
    expect(drain()).toEqual([add("a1"), add("b2"), add("c1")]);
    for (const each of [add("a1"), add("b1"), add("c1"), gone("b1"), gone("a1"), add("b2")]) queue.push(each);
    expect([queue.entries, drain()]).toEqual([2, [add("c1"), add("b2")]]);
  });

  test("merges into what is left of a pair whose first half has been told", () => {
    const { queue, drain } = makeQueue(1);
    for (const each of [gone("a1"), add("a2")]) queue.push(each);
    expect(queue.shift()).toEqual(gone("a1"));
    queue.push(update("a2", "a3"));
    expect([queue.size, drain()]).toEqual([1, [add("a3")]]);
  });

  test("says how many of the first list will never come out", () => {
    const { queue, dropped } = makeQueue(1);
    for (const each of [firstAdd("a1"), update("a1", "a2")]) queue.push(each);
    expect(dropped).toEqual([]);
    queue.push(gone("a2"));
    expect(dropped).toEqual([1]);
  });

  test("forgets everything when cleared", () => {
    const { queue, drain } = makeQueue(1);
    for (const each of [add("a1"), add("b1")]) queue.push(each);
    queue.clear();
    expect([queue.size, queue.entries, drain()]).toEqual([0, 0, []]);
    for (const each of [add("a5"), update("a5", "a6")]) queue.push(each);
    expect(drain()).toEqual([add("a6")]);
  });
});
