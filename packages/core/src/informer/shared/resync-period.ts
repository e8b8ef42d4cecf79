// Decides the resync period of a handler from the requested period and the informer's. One timer serves all
// handlers: it fires with the check period, which is the smallest period requested before the informer started.

export const minimumResyncMs = 1000;

export interface ResyncRequest {
  /** 0 requests no resync. */
  readonly askedMs: number;
  /** How often the informer checks whether a handler's resync is due; 0 if it does no resync at all. */
  readonly checkMs: number;
  readonly isStarted: boolean;
}

export interface ResyncDecision {
  /** The handler's period. */
  readonly resyncMs: number;
  /** The informer's check period from now on. */
  readonly checkMs: number;
  /** Why the period differs from the requested one. */
  readonly warning: string | undefined;
}

export function decideResync({ askedMs, checkMs, isStarted }: ResyncRequest): ResyncDecision {
  if (askedMs <= 0) return { resyncMs: 0, checkMs, warning: undefined };
  if (checkMs <= 0)
    return { resyncMs: 0, checkMs, warning: "the informer does no resync, so neither does the handler" };
  const resyncMs = Math.max(askedMs, minimumResyncMs);
  const warning = resyncMs === askedMs ? undefined : "resync period is below the minimum and raised to it";
  if (resyncMs >= checkMs) return { resyncMs, checkMs, warning };
  if (!isStarted) return { resyncMs, checkMs: resyncMs, warning };
  return {
    resyncMs: checkMs,
    checkMs,
    warning: "resync period is below the check period of an informer that has started, and raised to it",
  };
}
