import { deferred, FakeClock } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { RequestSlots } from "./request-slots.ts";

const never = new AbortController().signal;

/** Starts so many requests and tells which are out, until each is ended by its number. */
function start(slots: RequestSlots, count: number, signals: Readonly<Record<number, AbortSignal>> = {}) {
  const out: number[] = [];
  const ends = Array.from({ length: count }, () => deferred());
  const all = ends.map((end, index) =>
    slots.use(async () => {
      out.push(index);
      await end.promise;
    }, signals[index] ?? never),
  );
  // Looked at later, but never unhandled.
  for (const each of all) each.catch(() => {});
  const settle = () => new FakeClock().settle();
  return { out, ends, all, settle };
}

test("so many go out at once, and the next when one has ended, in order", async () => {
  const { out, ends, all, settle } = start(new RequestSlots(2), 4);
  expect(out).toEqual([0, 1]);
  ends[1]?.resolve();
  await settle();
  expect(out).toEqual([0, 1, 2]);
  ends[0]?.reject(new Error("failed"));
  await settle();
  expect(out).toEqual([0, 1, 2, 3]);
  for (const end of ends) end.resolve();
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
});

test("who is told to stop while it waits sends nothing and keeps no slot", async () => {
  const stop = new AbortController();
  const { out, ends, all, settle } = start(new RequestSlots(1), 3, { 1: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(all[1]).rejects.toThrow("stopped");
  ends[0]?.resolve();
  await settle();
  expect(out).toEqual([0, 2]);
  ends[2]?.resolve();
  await all[2];
});

test("a slot that is given to somebody who is told to stop at that moment is not lost", async () => {
  const stop = new AbortController();
  const { out, ends, all } = start(new RequestSlots(1), 3, { 1: stop.signal });
  ends[0]?.resolve();
  await all[0];
  stop.abort(new Error("stopped"));
  // It may have gone out already; then it ends like any other.
  ends[1]?.resolve();
  ends[2]?.resolve();
  await Promise.allSettled(all);
  expect(out).toContain(2);
});
