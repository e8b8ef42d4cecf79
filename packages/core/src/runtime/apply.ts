// Executes a plan: every write of a controller goes through here. Only the events of procedures are recorded elsewhere (run-procedure.ts).
//
// Promises: steps run in order. The entries of a step run in parallel, and all of them are tried; after a step with a failure, no further
// step runs. The actions of a chain run one after the other, and a failure ends only that chain. Every action has a result, also when the
// deadline passes in between. `onResult` is called with each result as soon as it is there, before any other code can run.
import {
  findStatusCause,
  isAlreadyExists,
  isConflict,
  isMethodNotSupported,
  isNotFound,
  isUnsupportedMediaType,
} from "../api/index.ts";
import { KubeloopError, toError } from "../base/index.ts";
import { type Chain, isCovered, type Step, type Tolerance } from "../contract/for-drivers.ts";
import { type Access, type Action, type ActionResult, Outcome, type Plan, printAction } from "../contract/index.ts";
import { parallelizeUntil } from "../workqueue/index.ts";
import { isAnswerLost } from "./expected-writes.ts";
import type { Attempt } from "./reconcile-attempt.ts";
import type { RepeatedWrites } from "./repeated-writes.ts";
import { type ActionTools, sendAction } from "./send-action.ts";
import type { TraceRequest } from "./tracing/controller-spans.ts";
import type { WrittenVersions } from "./written-versions.ts";

export interface ApplyTools extends ActionTools {
  readonly requestTimeoutMs: number;
  /** How many requests of one plan may be in flight at the same time. */
  readonly maxParallel: number;
  /** The writes that the controller declares. An action that is not among them fails without a request. */
  readonly writes: readonly Access[];
  readonly trace?: TraceRequest | undefined;
  /** Called after every write that succeeded. */
  readonly repeated?: Pick<RepeatedWrites, "note"> | undefined;
}

type Results = Map<Action, ActionResult>;

/** One plan, executed in one attempt to reconcile a key. */
export interface PlanRun {
  readonly attempt: Pick<Attempt, "signal" | "isAborted" | "limitRequest">;
  /** What the same attempt has written so far. */
  readonly written?: WrittenVersions | undefined;
  readonly onResult: (action: Action, result: ActionResult) => void;
}

export async function applyPlan<Notes>(plan: Plan<Notes>, tools: ApplyTools, run: PlanRun): Promise<Outcome<Notes>> {
  const results = new Map<Action, ActionResult>();
  for (const step of plan.steps) {
    const [only] = step;
    const isDone = await (only !== undefined && step.length === 1
      ? applyEntry(only, tools, run, results)
      : applyInParallel(step, tools, run, results));
    if (!isDone || run.attempt.isAborted) break;
  }
  return new Outcome(plan, results);
}

async function applyInParallel(step: Step, tools: ApplyTools, run: PlanRun, results: Results): Promise<boolean> {
  let isDone = true;
  const limits = { workers: tools.maxParallel, pieces: step.length };
  const applyPiece = async (piece: number) => {
    const entry = step[piece];
    if (entry !== undefined && !(await applyEntry(entry, tools, run, results))) isDone = false;
  };
  await parallelizeUntil(limits, applyPiece, run.attempt.signal);
  return isDone;
}

/** Returns whether no action of the entry failed or was left out. */
function applyEntry(entry: Action | Chain, tools: ApplyTools, run: PlanRun, results: Results): Promise<boolean> {
  return entry.type === "chain" ? applyChain(entry, tools, run, results) : applyAction(entry, tools, run, results);
}

async function applyChain({ actions }: Chain, tools: ApplyTools, run: PlanRun, results: Results): Promise<boolean> {
  for (const action of actions) if (!(await applyAction(action, tools, run, results))) return false;
  return true;
}

async function applyAction(action: Action, tools: ApplyTools, run: PlanRun, results: Results): Promise<boolean> {
  const { attempt, written } = run;
  if (attempt.isAborted) return false;
  const result = await (tools.trace === undefined
    ? tryAction(action, tools, run)
    : tools.trace(action, () => tryAction(action, tools, run)));
  results.set(action, result);
  written?.note(action, result);
  tools.repeated?.note(action, result);
  run.onResult(action, result);
  return result.status !== "failed";
}

/** Returns the first action that is not declared; undefined when all are declared. */
export function findUndeclared({ steps }: Plan, writes: readonly Access[]): Action | undefined {
  for (const step of steps) {
    for (const entry of step) {
      if (entry.type === "chain") {
        const undeclared = entry.actions.find((action) => !isCovered(action, writes));
        if (undeclared !== undefined) return undeclared;
      } else if (!isCovered(entry, writes)) return entry;
    }
  }
  return undefined;
}

export function newUndeclared(action: Action): KubeloopError {
  const message = `${printAction(action)} is not declared: add it to the writes of the controller`;
  return new KubeloopError(message, { reason: "Undeclared", retry: "never" });
}

async function tryAction(action: Action, tools: ApplyTools, { attempt, written }: PlanRun): Promise<ActionResult> {
  // Recording an event neither waits nor fails: it needs no deadline.
  if (action.type === "event") {
    tools.recordEvent(action);
    return recorded;
  }
  if (!isCovered(action, tools.writes)) return { status: "failed", error: newUndeclared(action) };
  // Not `using`: the code that the compiler generates for it costs more than the rest of this function.
  const limit = attempt.limitRequest(tools.requestTimeoutMs, () => printAction(action));
  try {
    return { status: "done", value: await sendAction(action, tools, written, limit.signal) };
  } catch (thrown) {
    const error = toError(thrown);
    if (isTolerated(action, error)) return { status: "tolerated", error };
    return isAnswerLost(error) ? { status: "failed", error, isUnknown: true } : { status: "failed", error };
  } finally {
    limit[Symbol.dispose]();
  }
}

const recorded: ActionResult = { status: "done", value: undefined };

/** Returns whether the action tolerates this failure, so that it counts as success. */
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
    case "MethodNotSupported":
      return isMethodNotSupported(error);
    case "UnsupportedMediaType":
      return isUnsupportedMediaType(error);
    case "NamespaceTerminating":
      return findStatusCause(error, "NamespaceTerminating") !== undefined;
  }
}
