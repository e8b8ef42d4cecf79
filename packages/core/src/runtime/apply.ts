// Carries a plan out: the only place where controllers' effects happen.
//
// Promises: steps in order, actions of a step side by side and all of them tried; the first step with a failure is the last, and
// what comes after it is skipped. Every action has a result, also when time ran out in its midst; `onResult` hears each as it
// comes, before anything else can happen.
import { findStatusCause, isAlreadyExists, isConflict, isNotFound } from "../api/index.ts";
import { type Clock, KubeloopError, timeoutSignal, toError } from "../base/index.ts";
import {
  type Access,
  type Action,
  type ActionResult,
  isCovered,
  Outcome,
  type Plan,
  printAction,
  type Tolerance,
} from "../contract/index.ts";
import { parallelizeUntil } from "../workqueue/index.ts";
import { type ActionTools, sendAction } from "./send-action.ts";
import type { TraceRequest } from "./tracing/controller-spans.ts";

export interface ApplyTools extends ActionTools {
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  /** How many requests of one plan may be under way. */
  readonly maxParallel: number;
  /** What the controller said it would do; anything else is refused. */
  readonly writes: readonly Access[];
  readonly trace?: TraceRequest | undefined;
}

export async function applyPlan(
  plan: Pick<Plan, "steps">,
  tools: ApplyTools,
  onResult: (action: Action, result: ActionResult) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const results = new Map<Action, ActionResult>(plan.steps.flat().map((action) => [action, { status: "skipped" }]));
  for (const step of plan.steps) {
    let hasFailed = false;
    const one = async (piece: number) => {
      const action = step[piece];
      if (action === undefined) return;
      const attempt = () => tryAction(action, tools, signal);
      const result = await (tools.trace === undefined ? attempt() : tools.trace(action, attempt));
      results.set(action, result);
      hasFailed ||= result.status === "failed";
      onResult(action, result);
    };
    await parallelizeUntil({ workers: tools.maxParallel, pieces: step.length }, one, signal);
    if (hasFailed || signal.aborted) break;
  }
  return new Outcome(results);
}

async function tryAction(action: Action, tools: ApplyTools, signal: AbortSignal): Promise<ActionResult> {
  if (!isCovered(action, tools.writes)) return { status: "failed", error: newUndeclared(action) };
  using limit = timeoutSignal(signal, tools.requestTimeoutMs, { clock: tools.clock, what: printAction(action) });
  try {
    return { status: "done", value: await sendAction(action, tools, limit.signal) };
  } catch (thrown) {
    const error = toError(thrown);
    return { status: isTolerated(action, error) ? "tolerated" : "failed", error };
  }
}

/** Whether the failure is as good as success for the action. */
export function isTolerated({ tolerates }: Action, error: unknown): boolean {
  return tolerates.some((what) => isSo(error, what));
}

function isSo(error: unknown, what: Tolerance): boolean {
  switch (what) {
    case "NotFound":
      return isNotFound(error);
    case "AlreadyExists":
      return isAlreadyExists(error);
    case "Conflict":
      return isConflict(error);
    case "NamespaceTerminating":
      return findStatusCause(error, "NamespaceTerminating") !== undefined;
  }
}

function newUndeclared(action: Action): KubeloopError {
  const message = `${printAction(action)} is not among what the controller says it writes: name it in its writes`;
  return new KubeloopError(message, { reason: "Undeclared", retry: "never" });
}
