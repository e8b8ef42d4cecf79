// Waits in virtual time until something holds: time moves from one timer to the next, and after each everything that can run has run.
//
//   await eventually(clock, () => server.get(deployments, "shop/web")?.spec?.replicas === 3);
//   const pod = await eventually(clock, () => server.get(pods, "shop/web-0"), { withinMs: 5000 });
//
// Promises: it costs no real time; it looks at every moment at which something may have changed, so what holds for a moment only is seen;
// it ends at the bound, or at once when nothing is left that could change anything; the complaint has the last thing that was seen. What
// throws does not hold yet. Background timers (a watch that ends in half an hour) move time like all others.
import { inspect } from "node:util";
import { type FakeClock, KubeloopError, toError } from "../base/index.ts";

export interface EventuallyOptions<T> {
  /** Whether what was seen will do; anything but false, 0, "", null, undefined and NaN unless given. */
  readonly until?: (seen: T) => boolean;
  /** Virtual time; a minute unless given. */
  readonly withinMs?: number;
  /** What is waited for, in words, for the complaint. */
  readonly what?: string;
  /** What else the complaint is to say: for example what failed meanwhile. Called when it is made. */
  readonly tell?: () => string;
}

/** What there is, when it is something. */
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
    // Looking took time: that alone may have changed something.
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

/** A look that takes time is given what is left of it. */
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
