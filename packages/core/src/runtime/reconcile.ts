// One key, once: ready? → observe → decide, asking as often as it may → apply → learn → report → apply; or, for a queue that has a
// procedure, ready? → that. What comes of it is a value; only what went wrong is thrown.
//
// The pure parts are called with nothing but what they may know. When one of them throws, that is a fault in it: a panic, which is
// counted and tried again like any failure.
import { KubeloopError } from "../base/index.ts";
import {
  Answers,
  type Ask,
  type ControllerQueue,
  type DecideContext,
  type Plan,
  type Work,
} from "../contract/index.ts";
import { answerQuestions } from "./answer-questions.ts";
import { applyPlan } from "./apply.ts";
import { PanicError } from "./panic-error.ts";
import { type ProcedureTools, runProcedure } from "./run-procedure.ts";

export interface ReconcileTools<M> extends ProcedureTools {
  readonly queue: ControllerQueue<M>;
  readonly model: M;
  /** How often `decide` may ask before it must decide. */
  readonly maxRounds: number;
}

export type Reconciled =
  /** The caches do not show its own writes yet. */
  | { readonly kind: "stale"; readonly waitMs: number }
  /** There was nothing to decide about. */
  | { readonly kind: "absent" }
  | {
      readonly kind: "done";
      readonly reason: string;
      readonly actions: number;
      readonly requeueAfterMs: number | undefined;
      /** Part of it failed: to be tried again. */
      readonly error: Error | undefined;
    };

export async function reconcile<M>(key: string, tools: ReconcileTools<M>, signal: AbortSignal): Promise<Reconciled> {
  const readiness = await tools.gate.check(key, signal);
  if (!readiness.isReady) return { kind: "stale", waitMs: readiness.waitMs };
  const { procedure } = tools.queue;
  if (procedure !== undefined) return await runProcedure(key, procedure, tools, signal);
  const { caches: snapshot, model } = tools;
  const nowMs = tools.questions.clock.now();
  const work = guarded("observe", () => tools.queue.begin(key, { snapshot, model, nowMs }));
  if (work === undefined) return { kind: "absent" };
  const answers = new Answers();
  const context: DecideContext = { nowMs, answer: (question) => answers.answer(question) };
  const plan = await decideInRounds(work, answers, context, tools, signal);
  const note = (...[action, result]: Parameters<Parameters<typeof applyPlan>[2]>) =>
    tools.gate.note(key, action, result);
  const outcome = await applyPlan(plan, tools.apply, note, signal);
  tools.wake(guarded("learn", () => work.learn(model, { ...context, outcome })));
  // Out of time, in the midst of it: what was written is noted, the rest is for the next time.
  signal.throwIfAborted();
  const told = guarded("report", () => work.report(outcome, context));
  const reported = told === undefined ? undefined : await applyPlan(told, tools.apply, note, signal);
  signal.throwIfAborted();
  tools.wake([...(plan.wakes ?? []), ...(told?.wakes ?? [])]);
  return {
    kind: "done",
    reason: plan.reason,
    actions: plan.steps.flat().length + (told?.steps.flat().length ?? 0),
    requeueAfterMs: told?.requeueAfterMs ?? plan.requeueAfterMs,
    error: outcome.error ?? reported?.error ?? plan.unfinished ?? told?.unfinished,
  };
}

async function decideInRounds<M>(
  work: Work<M>,
  answers: Answers,
  context: DecideContext,
  tools: ReconcileTools<M>,
  signal: AbortSignal,
): Promise<Plan> {
  for (let round = 0; ; round++) {
    const decision = guarded("decide", () => work.decide(context));
    if (decision.kind === "plan") return decision;
    const open = decision.questions.filter((question) => !answers.has(question));
    if (open.length === 0 || round >= tools.maxRounds) throw newEndless(decision, round);
    await answerQuestions(open, answers, tools.questions, signal);
  }
}

function newEndless({ reason }: Ask, round: number): KubeloopError {
  return new KubeloopError(`still asks "${reason}" after ${round} rounds of answers`, { reason: "EndlessAsking" });
}

function guarded<R>(where: string, call: () => R): R {
  try {
    return call();
  } catch (error) {
    throw new PanicError(where, error);
  }
}
