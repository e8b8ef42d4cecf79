// Reconciles one key once. With rules: check the gate → observe → decide, with rounds of questions → reserve → apply → learn → report → apply.
// With a procedure: check the gate → run the procedure. The result is returned as a value; only failures are thrown.
//
// Promises
// - `observe`, `decide` and `reserve` run synchronously, one directly after the other, so a decision never uses a model or a cache that has
//   changed meanwhile. After questions were answered, `observe` runs again. A `decide` that returns
//   slices (`InSlices`) yields to the event loop between them; it cannot have a `reserve`.
// - When a plan has been applied, its wakes are added and `learn` runs, even if the deadline has passed or `report` throws.
// - Pure functions receive only what they may depend on. If one of them throws, that is a bug: it is counted as a panic and retried like any
//   failure. Reading a cache that has not synced is not a bug: the key is requeued.
// - A decision without actions, questions, slices or actions of `report` creates no Promise object and no timer.
import { KubeloopError, toError, YieldBudget } from "../base/index.ts";
import { Answers, type Ask, type ControllerQueue, type QueueRules } from "../contract/for-drivers.ts";
import {
  type Action,
  type ActionResult,
  type Answer,
  type DecideContext,
  type Decision,
  type InSlices,
  Outcome,
  type Plan,
  type Question,
  type Snapshot,
  TerminalError,
  type View,
} from "../contract/index.ts";
import { answerQuestions } from "./answer-questions.ts";
import { applyPlan, findUndeclared, newUndeclared } from "./apply.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { PanicError } from "./panic-error.ts";
import type { Attempt } from "./reconcile-attempt.ts";
import { type ProcedureTools, runProcedure } from "./run-procedure.ts";
import { StaleReadError } from "./stale-read-error.ts";
import { WrittenVersions } from "./written-versions.ts";

export interface ReconcileTools<M> extends ProcedureTools {
  readonly queue: ControllerQueue<M>;
  readonly model: M;
  readonly measures: ControllerMetrics;
  /** How many times `decide` may ask questions before it must return a plan. */
  readonly maxRounds: number;
  /** Returns whether the controller has this queue, and the queue accepts this key. */
  readonly takes: (queue: string, key: string) => boolean;
}

export type Reconciled =
  /** The caches do not show the key's own writes yet, or a cache that the key reads has not synced. */
  | { readonly kind: "stale"; readonly waitMs: number; readonly isUnsynced?: boolean }
  /** `observe` returned undefined: there is nothing to decide. */
  | { readonly kind: "absent" }
  | {
      readonly kind: "done";
      readonly reason: string;
      readonly requeueAfterMs: number | undefined;
      readonly isRoutine?: boolean | undefined;
      /** Set if a part of the reconcile failed: the key is to be retried. */
      readonly error: Error | undefined;
    };

/** Returns a promise only if the reconcile has to wait for something. */
export function reconcile<M>(tools: ReconcileTools<M>, attempt: Attempt): Reconciled | Promise<Reconciled> {
  return tools.gate.holds(attempt.key) ? reconcileWhenReady(tools, attempt) : reconcileNow(tools, attempt);
}

async function reconcileWhenReady<M>(tools: ReconcileTools<M>, attempt: Attempt): Promise<Reconciled> {
  const readiness = await tools.gate.check(attempt.key, attempt.signal);
  if (!readiness.isReady) return { kind: "stale", waitMs: readiness.waitMs };
  // The controller may have ended meanwhile, and its caches may be closed.
  attempt.throwIfAborted();
  return await reconcileNow(tools, attempt);
}

function reconcileNow<M>(tools: ReconcileTools<M>, attempt: Attempt): Reconciled | Promise<Reconciled> {
  const { work } = tools.queue;
  if (work.kind === "procedure") return runProcedure(work.procedure, tools, attempt);
  return new RulesReconcile(work.rules, tools, attempt).run();
}

const absent: Reconciled = { kind: "absent" };
const reservesInSlices = "a decision that is made in slices cannot reserve: other keys run between its slices";
/** Only a fallback: normally the key is added again as soon as the cache has synced. */
const unsyncedWaitMs = 5_000;
const existingWaitMs = 1_000;

/** One reconcile of one key by rules. The object is also the view for `observe` and the context for `decide` and `report`. */
class RulesReconcile<M> implements View<M>, DecideContext {
  readonly snapshot: Snapshot;
  readonly model: M;
  nowMs: number;
  readonly #rules: QueueRules<unknown, unknown, M>;
  readonly #tools: ReconcileTools<M>;
  readonly #attempt: Attempt;
  #seen: unknown;
  #answers: Answers | undefined;

  constructor(rules: QueueRules<unknown, unknown, M>, tools: ReconcileTools<M>, attempt: Attempt) {
    this.#rules = rules;
    this.#tools = tools;
    this.#attempt = attempt;
    this.snapshot = tools.caches;
    this.model = tools.model;
    this.nowMs = tools.questions.clock.now();
  }

  /** Returns a function that does not use `this`, so that rules may destructure it from the context. */
  get answer(): <A>(question: Question<A>) => Answer<A> | undefined {
    return (question) => this.#answers?.answer(question);
  }

  run(): Reconciled | Promise<Reconciled> {
    try {
      const decision = this.#observeAndDecide();
      if (decision === undefined) return absent;
      return "kind" in decision && decision.kind === "plan" ? this.#carryOut(decision) : this.#decideInRounds(decision);
    } catch (error) {
      return putOff(error);
    }
  }

  #observeAndDecide(): Decision | InSlices<Decision> | undefined {
    try {
      this.#seen = this.#rules.observe(this.#attempt.key, this);
    } catch (error) {
      throw toPanic("observe", error);
    }
    if (this.#seen === undefined) return undefined;
    try {
      return this.#rules.decide(this.#seen, this);
    } catch (error) {
      throw toPanic("decide", error);
    }
  }

  async #decideInRounds(first: Ask | InSlices<Decision>): Promise<Reconciled> {
    try {
      let next: Decision | InSlices<Decision> | undefined = first;
      for (let round = 0; ; round++) {
        if ("next" in next && this.#rules.reserve !== undefined) throw new TerminalError(reservesInSlices);
        const decision: Decision = "next" in next ? await this.#finish(next) : next;
        if (decision.kind === "plan") return await this.#carryOut(decision);
        this.#answers ??= new Answers();
        const answers = this.#answers;
        const open = decision.questions.filter((question) => !answers.has(question));
        if (open.length === 0 || round >= this.#tools.maxRounds) throw newEndless(decision, round);
        await answerQuestions(open, answers, this.#tools.questions, this.#attempt.signal);
        this.#attempt.throwIfAborted();
        next = this.#observeAndDecide();
        if (next === undefined) return absent;
      }
    } catch (error) {
      return putOff(error);
    }
  }

  /** Runs a decision that is made in slices to its end. */
  async #finish(slices: InSlices<Decision>): Promise<Decision> {
    const budget = new YieldBudget(this.#tools.questions.clock);
    try {
      for (;;) {
        const step = nextSlice(slices);
        if (step.done === true) return step.value;
        if (!budget.isUsedUp()) continue;
        await budget.yield();
        this.#attempt.throwIfAborted();
      }
    } finally {
      // If the slices have ended, this does nothing. If the reconcile was aborted, this runs the `finally` blocks of the generator.
      slices.return(undefined as never);
    }
  }

  #carryOut(plan: Plan): Reconciled | Promise<Reconciled> {
    this.#admit(plan);
    this.#measure(plan);
    this.#reserve(plan);
    if (plan.steps.length > 0) return this.#applyAndReport(plan);
    this.#tools.wake(plan.wakes);
    const { learn, report } = this.#rules;
    if (learn === undefined && report === undefined) return toDone(plan, undefined, undefined, undefined);
    const outcome = new Outcome(plan);
    const reportPlan = this.#learnAndReport(outcome);
    if (reportPlan === undefined || reportPlan.steps.length === 0) return toDone(plan, outcome, reportPlan, undefined);
    return this.#apply(reportPlan, this.#newWritten()).then((reported) => toDone(plan, outcome, reportPlan, reported));
  }

  async #applyAndReport(plan: Plan): Promise<Reconciled> {
    const written = this.#newWritten();
    const outcome = await this.#apply(plan, written);
    this.#tools.wake(plan.wakes);
    try {
      const reportPlan = this.#learnAndReport(outcome);
      const reported =
        reportPlan === undefined || reportPlan.steps.length === 0 ? undefined : await this.#apply(reportPlan, written);
      this.#attempt.throwIfAborted();
      return toDone(plan, outcome, reportPlan, reported);
    } catch (error) {
      return putOff(error);
    }
  }

  #newWritten(): WrittenVersions {
    return new WrittenVersions(this.#tools.apply.writes);
  }

  #measure({ measures }: Plan): void {
    try {
      this.#tools.measures.record(measures);
    } catch (error) {
      throw toPanic("measures", error);
    }
  }

  /** If `reserve` throws, no action of the plan is sent, and `learn` is called so that it can return what `reserve` had already taken. */
  #reserve(plan: Plan): void {
    if (this.#rules.reserve === undefined) return;
    try {
      const { nowMs, answer } = this;
      this.#rules.reserve(this.model, this.#seen, { nowMs, answer, plan });
    } catch (error) {
      this.#learn(new Outcome(plan));
      throw toPanic("reserve", error);
    }
  }

  #learn(outcome: Outcome): void {
    if (this.#rules.learn === undefined) return;
    try {
      const { nowMs, answer } = this;
      this.#tools.wake(this.#rules.learn(this.model, this.#seen, { nowMs, answer, outcome }));
    } catch (error) {
      throw toPanic("learn", error);
    }
  }

  /** Throws if the plan has an action, a measurement or a queue that the controller does not declare, before any part of it is executed. */
  #admit(plan: Plan): void {
    if (plan.steps.length > 0) {
      const undeclared = findUndeclared(plan, this.#tools.apply.writes);
      if (undeclared !== undefined) throw new TerminalError("the plan is refused", newUndeclared(undeclared));
    }
    for (const wake of plan.wakes ?? []) {
      if (typeof wake === "string" || wake.queue === undefined || this.#tools.takes(wake.queue, wake.key)) continue;
      throw new TerminalError(
        `the plan is refused: queue "${wake.queue}", which it wakes, is not there or is a sweep and takes no key "${wake.key}"`,
      );
    }
    const unknown = this.#tools.measures.findUndeclared(plan.measures);
    if (unknown !== undefined) {
      throw new TerminalError(
        `the plan is refused: metric ${unknown} is not declared, name it in the controller's metrics`,
      );
    }
  }

  #learnAndReport(outcome: Outcome): Plan | undefined {
    const { report } = this.#rules;
    // The writes may have taken seconds.
    this.nowMs = this.#tools.questions.clock.now();
    this.#learn(outcome);
    // If the deadline has passed, the gate has noted what was written, and the rest is left to the next attempt.
    this.#attempt.throwIfAborted();
    if (report === undefined) return undefined;
    let reportPlan: Plan | undefined;
    try {
      reportPlan = this.#rules.report?.(this.#seen, outcome, this);
    } catch (error) {
      throw toPanic("report", error);
    }
    if (reportPlan === undefined) return undefined;
    this.#admit(reportPlan);
    this.#measure(reportPlan);
    this.#tools.wake(reportPlan.wakes);
    return reportPlan;
  }

  #apply(plan: Plan, written: WrittenVersions | undefined): Promise<Outcome> {
    const { gate, apply } = this.#tools;
    const attempt = this.#attempt;
    const onResult = (action: Action, result: ActionResult) => gate.note(attempt.key, action, result);
    return applyPlan(plan, apply, { attempt, written, onResult });
  }
}

function toDone(
  plan: Plan,
  outcome: Outcome | undefined,
  reportPlan: Plan | undefined,
  reported: Outcome | undefined,
): Reconciled {
  const { requeueAfterMs, isRoutine } = earlier(earlier(plan, reportPlan), recheck(outcome));
  return {
    kind: "done",
    reason: plan.reason,
    requeueAfterMs,
    isRoutine,
    error: outcome?.error ?? reported?.error ?? plan.unfinished ?? reportPlan?.unfinished,
  };
}

/**
 * An object that exists on the server but not in the cache may be removed before the cache receives it. Then no event adds the key, so the key
 * is requeued once more.
 */
function recheck(outcome: Outcome | undefined): Requeue | undefined {
  return outcome?.hasFoundExisting === true ? { requeueAfterMs: existingWaitMs } : undefined;
}

type Requeue = Pick<Plan, "requeueAfterMs" | "isRoutine">;

function earlier(one: Requeue, other: Requeue | undefined): Requeue {
  if (other?.requeueAfterMs === undefined) return one;
  return one.requeueAfterMs === undefined || other.requeueAfterMs < one.requeueAfterMs ? other : one;
}

/** Returns "stale" for a StaleReadError, so that the key is requeued later; throws any other error. */
function putOff(error: unknown): Reconciled {
  if (error instanceof StaleReadError) return { kind: "stale", waitMs: unsyncedWaitMs, isUnsynced: true };
  throw error;
}

function nextSlice(slices: InSlices<Decision>): IteratorResult<unknown, Decision> {
  try {
    return slices.next();
  } catch (error) {
    throw toPanic("decide", error);
  }
}

function toPanic(where: string, error: unknown): Error {
  return error instanceof StaleReadError ? error : new PanicError(where, toError(error));
}

function newEndless({ reason }: Ask, round: number): KubeloopError {
  return new KubeloopError(
    `decide asks for reads ("${reason}") instead of deciding, after ${round} rounds of answers`,
    { reason: "EndlessAsking" },
  );
}
