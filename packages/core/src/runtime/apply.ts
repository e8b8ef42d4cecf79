// Carries a plan out: the only place where controllers' effects happen.
//
// Promises: steps in order, the entries of a step in parallel and all of them tried; the first step with a failure is the last. The
// actions of a chain run one after the other, and a failure ends that chain alone. Every action has a result, also when time ran out
// in between; `onResult` is called with each as it comes, before anything else can run.
import { findStatusCause, isAlreadyExists, isConflict, isNotFound } from "../api/index.ts";
import { type Clock, KubeloopError, timeoutSignal, toError } from "../base/index.ts";
import { type Chain, isCovered, type Tolerance } from "../contract/for-drivers.ts";
import { type Access, type Action, type ActionResult, Outcome, type Plan, printAction } from "../contract/index.ts";
import { parallelizeUntil } from "../workqueue/index.ts";
import { isAnswerLost } from "./expected-writes.ts";
import { type ActionTools, sendAction } from "./send-action.ts";
import type { TraceRequest } from "./tracing/controller-spans.ts";

export interface ApplyTools extends ActionTools {
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  /** How many requests of one plan may be under way. */
  readonly maxParallel: number;
  /** What the controller declares that it writes; anything else is refused. */
  readonly writes: readonly Access[];
  readonly trace?: TraceRequest | undefined;
}

type OnResult = (action: Action, result: ActionResult) => void;

export async function applyPlan<Notes>(
  plan: Plan<Notes>,
  tools: ApplyTools,
  onResult: OnResult,
  signal: AbortSignal,
): Promise<Outcome<Notes>> {
  const results = new Map<Action, ActionResult>();
  for (const step of plan.steps) {
    let hasFailed = false;
    const carryOut = async (entry: Action | Chain | undefined) => {
      if (entry === undefined) return;
      for (const action of entry.type === "chain" ? entry.actions : [entry]) {
        if (signal.aborted) return;
        const attempt = () => tryAction(action, tools, signal);
        const result = await (tools.trace === undefined ? attempt() : tools.trace(action, attempt));
        results.set(action, result);
        tools.written?.note(action, result);
        onResult(action, result);
        if (result.status !== "failed") continue;
        hasFailed = true;
        return;
      }
    };
    if (step.length === 1) await carryOut(step[0]);
    else {
      const limits = { workers: tools.maxParallel, pieces: step.length };
      await parallelizeUntil(limits, (piece) => carryOut(step[piece]), signal);
    }
    if (hasFailed || signal.aborted) break;
  }
  return new Outcome(plan, results);
}

/** The first action that is not declared; undefined when all are. */
export function findUndeclared(actions: readonly Action[], writes: readonly Access[]): Action | undefined {
  return actions.find((action) => !isCovered(action, writes));
}

export function newUndeclared(action: Action): KubeloopError {
  const message = `${printAction(action)} is not among what the controller says it writes: name it in its writes`;
  return new KubeloopError(message, { reason: "Undeclared", retry: "never" });
}

async function tryAction(action: Action, tools: ApplyTools, signal: AbortSignal): Promise<ActionResult> {
  // Recording an event neither waits nor fails: it needs no deadline.
  if (action.type === "event") {
    tools.recordEvent(action);
    return recorded;
  }
  if (!isCovered(action, tools.writes)) return { status: "failed", error: newUndeclared(action) };
  const what = () => printAction(action);
  using limit = timeoutSignal(signal, tools.requestTimeoutMs, { clock: tools.clock, what });
  try {
    return { status: "done", value: await sendAction(action, tools, limit.signal) };
  } catch (thrown) {
    const error = toError(thrown);
    if (isTolerated(action, error)) return { status: "tolerated", error };
    return isAnswerLost(error) ? { status: "failed", error, isUnknown: true } : { status: "failed", error };
  }
}

const recorded: ActionResult = { status: "done", value: undefined };

/** Whether the failure counts as success for the action. */
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
