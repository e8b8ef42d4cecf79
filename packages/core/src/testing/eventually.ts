// Waits in virtual time until a condition is true. The fake clock advances from one timer to the next, and after each timer the condition is
// checked only when everything that can run has run.
//
//   await eventually(clock, () => server.get(deployments, "shop/web")?.spec?.replicas === 3);
//   const pod = await eventually(clock, () => server.get(pods, "shop/web-0"), { withinMs: 5000 });
//
// Promises
// - Waiting costs no real time.
// - The condition is checked at every moment of virtual time at which something may have changed, so a short-lived state is not missed.
// - The wait ends at the time limit, or immediately when no timer is left that could change anything. The error has the last seen value.
// - A condition that throws is not true yet.
// - Background timers (a watch that ends in half an hour) advance the clock like all others.
import { inspect } from "node:util";
import { type FakeClock, KubeloopError, toError } from "../base/index.ts";

export interface EventuallyOptions<T> {
  /** Whether the value ends the wait. Unless given, every value does except false, 0, "", null, undefined and NaN. */
  readonly until?: (seen: T) => boolean;
  /** The time limit, in virtual time; one minute unless given. */
  readonly withinMs?: number;
  /** The name of the condition, for the error message. */
  readonly what?: string;
  /** Returns text to append to the error message, for example what failed meanwhile. Called when the error is created. */
  readonly tell?: () => string;
}

/** The type of a value that ends the wait when `until` is not given. */
export type Something<T> = Exclude<T, undefined | null | false | 0 | "">;

export async function eventually<T>(
  clock: FakeClock,
  look: () => T | Promise<T>,
  options: EventuallyOptions<T> & { readonly until: (seen: T) => boolean },
): Promise<T>;
export async function eventually<T>(
  clock: FakeClock,
  look: () => T | Promise<T>,
  options?: Omit<EventuallyOptions<T>, "until">,
): Promise<Something<T>>;
export async function eventually<T>(
  clock: FakeClock,
  look: () => T | Promise<T>,
  { until = Boolean, withinMs = 60_000, what = "it", tell = () => "" }: EventuallyOptions<T> = {},
): Promise<T> {
  const lastMs = clock.monotonic() + withinMs;
  for (;;) {
    await clock.settle();
    const lookedMs = clock.monotonic();
    const seen = await attempt(clock, look, lastMs - lookedMs);
    if ("value" in seen && until(seen.value)) return seen.value;
    const left = lastMs - clock.monotonic();
    // `look` took virtual time, in which something may have changed.
    if (clock.monotonic() > lookedMs && left > 0) continue;
    const [next] = clock.pending();
    if (next === undefined || next.dueInMs === Number.POSITIVE_INFINITY)
      throw newComplaint(`${what} does not hold, and nothing is left that could change it`, seen, tell());
    if (left <= 0 || next.dueInMs > left) {
      await clock.advance(Math.max(0, left));
      const last = await attempt(clock, look, 0);
      if ("value" in last && until(last.value)) return last.value;
      throw newComplaint(`${what} did not hold within ${withinMs} ms of virtual time`, last, tell());
    }
    await clock.advance(next.dueInMs);
  }
}

type Seen<T> = { readonly value: T } | { readonly error: Error };

/** Calls `look`. If it returns a promise, the clock is advanced by at most `limitMs` until the promise settles. */
async function attempt<T>(clock: FakeClock, look: () => T | Promise<T>, limitMs: number): Promise<Seen<T>> {
  try {
    const seen = look();
    return { value: seen instanceof Promise ? await clock.drive(seen, { limitMs: Math.max(0, limitMs) }) : seen };
  } catch (error) {
    return { error: toError(error) };
  }
}

function newComplaint<T>(message: string, seen: Seen<T>, more: string): KubeloopError {
  const last =
    "error" in seen
      ? `the last look threw: ${seen.error.message}`
      : `last seen: ${inspect(seen.value, { depth: 6, breakLength: 120, sorted: true })}`;
  const cause = "error" in seen ? { cause: seen.error } : {};
  return new KubeloopError(`${message}; ${last}${more}`, { reason: "VirtualTime", retry: "never", ...cause });
}
