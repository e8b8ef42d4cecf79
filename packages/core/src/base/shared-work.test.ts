import { describe, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { SharedWork } from "./shared-work.ts";

class Recorded {
  readonly runs: (Deferred<string> & { readonly signal: AbortSignal })[] = [];
  readonly work = new SharedWork<string>((signal) => {
    const run = { ...deferred<string>(), signal };
    this.runs.push(run);
    return run.promise;
  });
}

const never = new AbortController().signal;

describe("work shared by several", () => {
  test("runs once for all who come while it is under way, and again for who comes later", async () => {
    const { work, runs } = new Recorded();
    const both = Promise.all([work.join(never), work.join(never)]);
    await systemClock.yield();
    runs[0]?.resolve("one");
    expect(await both).toEqual(["one", "one"]);
    const later = work.join(never);
    await systemClock.yield();
    runs[1]?.resolve("two");
    expect([await later, runs.length]).toEqual(["two", 2]);
  });

  test("fails for all who wait, and is tried again afterwards", async () => {
    const { work, runs } = new Recorded();
    const both = Promise.allSettled([work.join(never), work.join(never)]);
    await systemClock.yield();
    runs[0]?.reject(new Error("broken"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = work.join(never);
    await systemClock.yield();
    runs[1]?.resolve("fine");
    expect(await again).toBe("fine");
  });

  test("goes on for the others when one gives up", async () => {
    const { work, runs } = new Recorded();
    const impatient = new AbortController();
    const first = work.join(impatient.signal);
    const second = work.join(never);
    await systemClock.yield();
    impatient.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.resolve("one");
    expect(await second).toBe("one");
  });

  test("is aborted when the last one gives up, who waits for its end", async () => {
    const { work, runs } = new Recorded();
    const controllers = [new AbortController(), new AbortController()] as const;
    const settled: string[] = [];
    const waits = controllers.map(({ signal }, index) =>
      work.join(signal).catch((error: Error) => settled.push(`${index} ${error.message}`)),
    );
    await systemClock.yield();
    controllers[0].abort(new Error("first"));
    controllers[1].abort(new Error("second"));
    await systemClock.yield();
    expect([settled, runs[0]?.signal.aborted]).toEqual([["0 first"], true]);
    runs[0]?.reject(runs[0].signal.reason);
    await Promise.all(waits);
    expect(settled).toEqual(["0 first", "1 second"]);
  });

  test("does not begin anew before the abandoned run has ended", async () => {
    const { work, runs } = new Recorded();
    const impatient = new AbortController();
    const first = work.join(impatient.signal).catch(() => "gone");
    await systemClock.yield();
    impatient.abort();
    await systemClock.yield();
    const second = work.join(never);
    await systemClock.yield();
    expect(runs.length).toBe(1);
    runs[0]?.reject(new Error("killed"));
    await systemClock.yield();
    runs[1]?.resolve("fresh");
    expect([await first, await second]).toEqual(["gone", "fresh"]);
  });

  test("is handed over to who comes just as the last one gives up", async () => {
    const { work, runs } = new Recorded();
    const impatient = new AbortController();
    const first = work.join(impatient.signal).catch(() => "gone");
    await systemClock.yield();
    impatient.abort();
    const second = work.join(never);
    await systemClock.yield();
    expect(runs[0]?.signal.aborted).toBe(false);
    runs[0]?.resolve("one");
    expect([await first, await second]).toEqual(["gone", "one"]);
  });

  test("is not begun for a caller who has given up already", async () => {
    const { work, runs } = new Recorded();
    await expect(work.join(AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(runs.length).toBe(0);
  });
});
