// What node-lifecycle remembers: which nodes it has seen, when each was last heard of, how disrupted each zone is, and which nodes of a zone
// wait to be tainted. After a restart every node is new: it is heard of now, loses its NoExecute taints, and waits its turn to get them back.
import type { corev1 } from "@kubeloop/core/api";
import type { Health } from "./health.ts";
import type { ZoneState } from "./zones.ts";

/** A token bucket of one token, in nodes per second. A rate of 0 never has one. */
export interface Limiter {
  readonly rate: number;
  /** When there is a token. */
  readonly freeAtMs: number;
}

export interface Zone {
  state: ZoneState;
  limiter: Limiter;
  /** Names of nodes that are not ready and not tainted, the longest waiting first. */
  readonly waiting: Set<string>;
}

export class NodeMemory {
  readonly known = new Map<string, corev1.Node>();
  readonly health = new Map<string, Health>();
  readonly zones = new Map<string, Zone>();
}

export const newZone = (rate: number): Zone => ({
  state: "Initial",
  limiter: { rate, freeAtMs: Number.NEGATIVE_INFINITY },
  waiting: new Set(),
});

export function takeToken({ rate }: Limiter, nowMs: number): Limiter {
  return { rate, freeAtMs: nowMs + 1000 / rate };
}

/** With another rate, a bucket that was empty is empty: or a zone that changes its state again and again would go faster than any of its rates. */
export function withRate(limiter: Limiter, rate: number, nowMs: number): Limiter {
  if (rate === limiter.rate) return limiter;
  if (rate <= 0) return { rate: 0, freeAtMs: Number.POSITIVE_INFINITY };
  return limiter.freeAtMs > nowMs ? takeToken({ ...limiter, rate }, nowMs) : { rate, freeAtMs: nowMs };
}
