// How often a handler is told again, decided from what it asks for and what its informer can do. One timer serves all
// handlers: it fires at the check period, which is the smallest period anyone asked for before the informer started.

export const minimumResyncMs = 1000;

export interface ResyncRequest {
  /** 0 asks for none. */
  readonly askedMs: number;
  /** How often the informer looks whether anyone is due; 0 when it does no resync at all. */
  readonly checkMs: number;
  readonly isStarted: boolean;
}

export interface ResyncDecision {
  /** What the handler gets. */
  readonly resyncMs: number;
  /** The informer's from now on. */
  readonly checkMs: number;
  /** Why that is not what was asked for. */
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
