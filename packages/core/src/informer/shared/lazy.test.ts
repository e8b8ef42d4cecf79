import { describe, expect, test } from "vitest";
import { type Deferred, deferred } from "../../base/index.ts";
import { Lazy } from "./lazy.ts";

/** Evaluations that end when the test says so, in any order. */
function steered() {
  const evaluations: Deferred<string>[] = [];
  const lazy = new Lazy(() => {
    const evaluation = deferred<string>();
    evaluations.push(evaluation);
    return evaluation.promise;
  });
  return { lazy, evaluations };
}

describe("a lazy value", () => {
  test("is worked out when it is asked for, and kept", async () => {
    let evaluations = 0;
    const lazy = new Lazy(() => ++evaluations);
    lazy.notify();
    expect(evaluations).toBe(0);
    expect([await lazy.get(), await lazy.get()]).toEqual([1, 1]);
  });

  test("is never older than the last notification", async () => {
    let reality = 0;
    const lazy = new Lazy(async () => {
      const seen = reality;
      await Promise.resolve();
      return seen;
    });
    const writer = async () => {
      for (let i = 0; i < 100; i++) {
        const written = ++reality;
        lazy.notify();
        expect(await lazy.get()).toBeGreaterThanOrEqual(written);
      }
    };
    await Promise.all(Array.from({ length: 10 }, writer));
    expect(reality).toBe(1000);
  });

  test("is worked out once for all who ask meanwhile", async () => {
    const { lazy, evaluations } = steered();
    lazy.notify();
    const asked = [lazy.get(), lazy.get()];
    asked.push(lazy.get());
    evaluations[0]?.resolve("one");
    expect(await Promise.all(asked)).toEqual(["one", "one", "one"]);
    expect(await lazy.get()).toBe("one");
    expect(evaluations.length).toBe(1);
  });

  test("that is overtaken reaches only those who asked before, when it ends last", async () => {
    const { lazy, evaluations } = steered();
    const early = lazy.get();
    lazy.notify();
    const late = lazy.get();
    evaluations[1]?.resolve("new");
    expect(await late).toBe("new");
    evaluations[0]?.resolve("old");
    expect([await early, await lazy.get(), evaluations.length]).toEqual(["old", "new", 2]);
  });

  test("that is overtaken reaches only those who asked before, when it ends first", async () => {
    const { lazy, evaluations } = steered();
    const early = lazy.get();
    lazy.notify();
    const late = lazy.get();
    evaluations[0]?.resolve("old");
    expect(await early).toBe("old");
    const later = lazy.get();
    evaluations[1]?.resolve("new");
    expect([await late, await later, evaluations.length]).toEqual(["new", "new", 2]);
  });

  test("holds up nobody longer than one evaluation, however often it changes", async () => {
    const { lazy, evaluations } = steered();
    const answers: Promise<string>[] = [];
    for (let i = 0; i < 100; i++) {
      lazy.notify();
      answers.push(lazy.get());
    }
    expect(evaluations.length).toBe(100);
    evaluations[7]?.resolve("seventh");
    expect(await answers[7]).toBe("seventh");
    evaluations.at(-1)?.resolve("last");
    expect(await lazy.get()).toBe("last");
  });

  test("that failed is tried again by whoever asks next", async () => {
    let isBroken = true;
    const lazy = new Lazy(() => {
      if (isBroken) throw new Error("deliberate");
      return "fine";
    });
    const both = await Promise.allSettled([lazy.get(), lazy.get()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isBroken = false;
    expect(await lazy.get()).toBe("fine");
  });

  test("whose overtaken evaluation fails keeps the newer one", async () => {
    const { lazy, evaluations } = steered();
    const early = lazy.get();
    lazy.notify();
    const late = lazy.get();
    evaluations[0]?.reject(new Error("deliberate"));
    await expect(early).rejects.toThrow("deliberate");
    expect(lazy.get()).toBe(late);
  });
});
