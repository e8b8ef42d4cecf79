// Waiting for real programs, which takes real time: everything here stands on the system clock.
import { systemClock } from "@kubeloop/core/base";

/** What `settles` comes to, or `undefined` when that takes longer than `ms`. */
export async function within<T>(ms: number, settles: Promise<T>): Promise<T | undefined> {
  let timer: Disposable | undefined;
  const timeUp = new Promise<undefined>((resolve) => {
    timer = systemClock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([settles, timeUp]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}

/** Asks `probe` again and again until it says yes; throws the signal's reason when that fires first. */
export async function untilTrue(
  probe: (signal: AbortSignal) => Promise<boolean>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!(await probe(signal))) await systemClock.sleep(everyMs, signal);
}
