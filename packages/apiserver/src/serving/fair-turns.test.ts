import { type Clock, systemClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { FairTurns } from "./fair-turns.ts";

/** Turns are the event loop's own; the time that passes in one is the test's. */
function newTurns() {
  const time = { ms: 100 };
  const clock: Clock = { ...systemClock, monotonic: () => time.ms };
  return { time, turns: new FairTurns(clock) };
}

describe("in one turn of the event loop", () => {
  test("requests begin at once as long as there is time", () => {
    const { time, turns } = newTurns();
    expect(turns.enter()).toBeUndefined();
    time.ms += 4.9;
    expect(turns.enter()).toBeUndefined();
  });

  test("who comes later waits, goes on in a later turn, and nobody overtakes", async () => {
    const { time, turns } = newTurns();
    void turns.enter();
    time.ms += 5;
    const begun: string[] = [];
    const enter = async (name: string, forMs: number) => {
      await turns.enter();
      begun.push(name);
      time.ms += forMs;
    };
    const all = [enter("a", 3), enter("b", 3), enter("c", 9), enter("d", 1)];
    expect(begun).toEqual([]);
    await systemClock.yield();
    expect(begun).toEqual(["a", "b"]);
    // This turn has time enough, but somebody was here before.
    all.push(enter("e", 1));
    await systemClock.yield();
    expect(begun).toEqual(["a", "b", "c"]);
    await Promise.all(all);
    expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("the next turn begins anew", async () => {
    const { time, turns } = newTurns();
    void turns.enter();
    time.ms += 50;
    await systemClock.yield();
    expect(turns.enter()).toBeUndefined();
  });
});
