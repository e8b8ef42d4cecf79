// Virtual time in which work takes time: now and then the monotonic clock has moved by a slice between two looks at it, so that
// whoever works in slices rests in the middle, for as long as that took, and all that is due meanwhile comes in between. Wall
// time and timers are the fake clock's.
import type { Clock, FakeClock, Random } from "../../base/index.ts";
import { pick } from "./draw.fixture.ts";

const sliceMs = 5;
/** Seldom, as on a machine that has other things to do, it takes long. */
const restsMs = [sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, sliceMs, 2_000];
const never = new AbortController().signal;

/** `busyChance` is asked each time: a machine that stays too busy for what it is given to do never gets it done. */
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
