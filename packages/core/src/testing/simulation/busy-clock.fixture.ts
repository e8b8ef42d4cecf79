// A virtual clock in which work takes time. Sometimes the monotonic clock advances by a slice between two reads, so that code which works in
// slices yields in the middle. The yield takes virtual time, and everything that is due meanwhile runs before the code continues. Wall time
// and timers are those of the fake clock.
import type { Clock, FakeClock, Random } from "../../base/index.ts";
import { pick } from "./draw.fixture.ts";

const sliceMs = 5;
/** The durations of a yield. A few are long, as on a busy machine. */
const restsMs = [sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, 2_000];
const never = new AbortController().signal;

/** `busyChance` is called each time, so that a simulation can set it to 0 at its end. On a machine that stays busy, the work may never end. */
export function busyClock(clock: FakeClock, random: Random, busyChance: () => number): Clock {
  let spentMs = 0;
  const monotonic = () => {
    const chance = busyChance();
    if (chance > 0 && random.next() < chance) spentMs += sliceMs;
    return clock.monotonic() + spentMs;
  };
  const over = (inner: Clock): Clock => ({
    now: () => inner.now(),
    monotonic,
    after: (delayMs, callback) => inner.after(delayMs, callback),
    sleep: (delayMs, signal) => inner.sleep(delayMs, signal),
    yield: () => (busyChance() > 0 ? inner.sleep(pick(random, restsMs), never) : inner.yield()),
    hold: (name) => inner.hold(name),
    labelled: (label) => over(inner.labelled(label)),
  });
  return over(clock);
}
