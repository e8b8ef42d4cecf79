// Virtual time in which work takes time: now and then the monotonic clock has moved by a slice between two looks at it, so that
// whoever works in slices stops in the middle, and others come in between. Wall time and timers are the fake clock's.
import type { Clock, FakeClock, Random } from "../../base/index.ts";

export function busyClock(clock: FakeClock, random: Random, busyChance: number): Clock {
  let spentMs = 0;
  const monotonic = () => {
    if (busyChance > 0 && random.next() < busyChance) spentMs += 5;
    return clock.monotonic() + spentMs;
  };
  const over = (inner: Clock): Clock => ({
    now: () => inner.now(),
    monotonic,
    after: (delayMs, callback) => inner.after(delayMs, callback),
    sleep: (delayMs, signal) => inner.sleep(delayMs, signal),
    yield: () => inner.yield(),
    hold: (name) => inner.hold(name),
    labelled: (label) => over(inner.labelled(label)),
  });
  return over(clock);
}
