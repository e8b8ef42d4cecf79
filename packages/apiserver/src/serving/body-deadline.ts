// The bytes of a body that must be there in time: who sends one that never ends is told so, as by a real server, instead of being kept.
import { newTimeout } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";

/** Throws 504 when the end has not come `limitMs` after the first byte was asked for. */
export async function* withinTime(
  bytes: AsyncIterable<Uint8Array>,
  limitMs: number,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  let expire: (() => void) | undefined;
  const expired = new Promise<"late">((resolve) => {
    expire = () => resolve("late");
  });
  using _timer = clock.labelled({ kind: "background", name: "body of a request" }).after(limitMs, () => expire?.());
  try {
    for (;;) {
      const reading = iterator.next();
      const next = await Promise.race([reading, expired]);
      if (next === "late") {
        // Whatever becomes of it, nobody waits for it.
        reading.catch(() => {});
        throw newTimeout("request did not complete within the allotted timeout", { retryAfterSeconds: 0 });
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not waited for: a source that hangs would hang this too.
    iterator.return?.().catch(() => {});
  }
}
