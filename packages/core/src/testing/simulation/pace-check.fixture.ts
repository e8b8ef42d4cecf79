// Detects a client that sends too many requests, which it must not do in any state of the server. Later pages of a list are not
// counted.
import { queryValue, type Transport } from "../../api/index.ts";
import { type Clock, RingBuffer, untilAborted } from "../../base/index.ts";

const windowMs = 5_000;
const mostRequests = 25;
const stormRequests = 200;

export function withPaceCheck(transport: Transport, clock: Clock, onViolation: (what: string) => void): Transport {
  const recentMs = new RingBuffer<number>();
  return async (request, signal) => {
    if (queryValue(request.query, "continue") === undefined) {
      const nowMs = clock.monotonic();
      recentMs.push(nowMs);
      while ((recentMs.peek() ?? nowMs) <= nowMs - windowMs) recentMs.shift();
      if (recentMs.size > mostRequests) onViolation(`${recentMs.size} requests within ${windowMs} ms`);
      // This request never returns, because a client that never pauses would keep virtual time from advancing.
      if (recentMs.size > stormRequests) return await untilAborted(new Promise<never>(() => {}), signal);
    }
    return await transport(request, signal);
  };
}
