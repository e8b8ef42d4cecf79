import { describe, expect, test } from "vitest";
import { type Clock, FakeClock } from "../../base/index.ts";
import { podInformer } from "./running-informer.fixture.ts";

/** Virtual time in which every look at the clock takes a millisecond: whoever works in slices yields, and `onYield` looks on. */
function slowClock(clock: FakeClock, onYield: () => void): Clock {
  let spentMs = 0;
  const over = (inner: Clock): Clock => ({
    now: () => inner.now(),
    monotonic: () => inner.monotonic() + ++spentMs,
    after: (delayMs, callback) => inner.after(delayMs, callback),
    sleep: (delayMs, signal) => inner.sleep(delayMs, signal),
    yield: async () => {
      onYield();
      await inner.yield();
    },
    hold: (name) => inner.hold(name),
    labelled: (label) => over(inner.labelled(label)),
  });
  return over(clock);
}

const count = 1000;

describe("while a list of 1000 objects is compared with the cache in slices", () => {
  async function relisting() {
    let onYield = () => {};
    const fake = new FakeClock();
    const clock = slowClock(fake, () => onYield());
    const { source, informer, stop, signal, start } = podInformer({ clock, freeze: false });
    for (let i = 0; i < count; i++) source.put(`p${i}`);
    let heard = 0;
    const registration = informer.addEventHandler({ onUpdate: () => void heard++, onDelete: () => void heard++ });
    await start();
    await registration.whenSynced(signal);
    for (let i = 0; i < count; i++) {
      if (i % 10 === 0) source.delete(`p${i}`, "unseen");
      else source.put(`p${i}`, {}, "unseen");
    }
    const isReplaced = () => informer.getStore().getByKey("shop/p0") === undefined;
    const seen: { readonly queued: number; readonly pending: number; readonly heard: number }[] = [];
    const late: { registration?: ReturnType<typeof informer.addEventHandler>; pending?: number } = {};
    onYield = () => {
      if (!isReplaced() || heard === count) return;
      seen.push({ queued: informer.status.queued, pending: registration.pending, heard });
      if (informer.status.queued === 0 || late.registration !== undefined) return;
      late.registration = informer.addEventHandler({});
      late.pending = late.registration.pending;
    };
    source.cutWatches();
    await fake.advance(60_000);
    return { informer, registration, seen, late, heard: () => heard, stop };
  }

  test("what a handler has heard and what is pending for it are together everything", async () => {
    const { seen, stop, heard } = await relisting();
    await stop();
    expect(heard()).toBe(count);
    expect(seen.length).toBeGreaterThan(10);
    expect(new Set(seen.map((each) => each.heard + each.pending))).toEqual(new Set([count]));
  });

  test("what is still to be compared is queued, and becomes less until nothing is", async () => {
    const { seen, informer, registration, stop } = await relisting();
    const queued = seen.map((each) => each.queued);
    expect(queued[0]).toBeGreaterThan(count / 2);
    expect(queued).toEqual(queued.toSorted((a, b) => b - a));
    expect([informer.status.queued, registration.pending]).toEqual([0, 0]);
    await stop();
  });

  test("for a handler that joins meanwhile, the whole cache is pending", async () => {
    const { late, stop } = await relisting();
    await stop();
    expect(late.pending).toBe(count - count / 10);
  });

  test("for a handler that has been removed, nothing is", async () => {
    const { late, stop } = await relisting();
    late.registration?.remove();
    expect(late.registration?.pending).toBe(0);
    await stop();
  });
});
