// Runs a procedure for one key. Its context writes the same way as plans do: each write is checked against the writes that the controller
// declares, reported to the gate, and visible in the procedure's next reads.
//
// Promises: when `runProcedure` returns, no request made through the context is in flight. A request that the procedure did not await is
// awaited here, and if it fails, the reconcile fails. Afterwards the context refuses requests, events and wakes.
import { KubeloopError, type Log, toError } from "../base/index.ts";
import { Answers, type Procedure, type ProcedureContext, type Step } from "../contract/for-drivers.ts";
import {
  type Action,
  type ActionResult,
  type Outcome,
  plan,
  type Question,
  TerminalError,
  type Wake,
} from "../contract/index.ts";
import { answerQuestions, type QuestionTools } from "./answer-questions.ts";
import { type ApplyTools, applyPlan } from "./apply.ts";
import type { ControllerCaches } from "./controller-caches.ts";
import { OwnWritesView } from "./own-writes-view.ts";
import { isPanic, PanicError } from "./panic-error.ts";
import type { WriteGate } from "./read-your-writes.ts";
import type { Reconciled } from "./reconcile.ts";
import type { Attempt } from "./reconcile-attempt.ts";
import { StaleReadError } from "./stale-read-error.ts";

export interface ProcedureTools {
  readonly caches: ControllerCaches;
  readonly gate: WriteGate;
  readonly questions: QuestionTools;
  readonly apply: ApplyTools;
  readonly log: Log;
  readonly wake: (wakes: readonly Wake[] | undefined) => void;
}

/** How soon the key is requeued after a read whose result is not known yet. */
const staleWaitMs = 50;

export async function runProcedure(procedure: Procedure, tools: ProcedureTools, attempt: Attempt): Promise<Reconciled> {
  const context = new RunningContext(tools, attempt);
  try {
    const result = (await procedure(attempt.key, context)) ?? undefined;
    if (result !== undefined) checkResult(result);
    const error = context.isIdle ? undefined : await context.join();
    // Even if the procedure ignored its deadline, the attempt fails, because requests after the deadline were refused.
    attempt.throwIfAborted();
    return {
      kind: "done",
      reason: "procedure",
      requeueAfterMs: result?.requeueAfterMs,
      isRoutine: result?.isRoutine,
      error,
    };
  } catch (thrown) {
    if (!context.isIdle) await context.join();
    if (thrown instanceof StaleReadError) return { kind: "stale", waitMs: staleWaitMs };
    throw isPanic(thrown) ? new PanicError("reconcile", thrown) : thrown;
  } finally {
    context.end();
  }
}

/** Throws if the result has an unknown field: otherwise the field would be ignored, and the key would not be requeued. */
function checkResult(result: object): void {
  for (const field of Object.keys(result)) {
    if (field === "requeueAfterMs" || field === "isRoutine") continue;
    const message = `reconcile returned "${field}", which means nothing: return { requeueAfterMs }, in milliseconds, or nothing`;
    throw new TerminalError(message);
  }
}

class RunningContext implements ProcedureContext {
  readonly snapshot: OwnWritesView;
  readonly #attempt: Attempt;
  readonly #tools: ProcedureTools;
  #log: Log | undefined;
  #underWay: Set<Promise<unknown>> | undefined;
  #isOver = false;

  constructor(tools: ProcedureTools, attempt: Attempt) {
    this.#tools = tools;
    this.#attempt = attempt;
    this.snapshot = new OwnWritesView(tools.caches);
  }

  get log(): Log {
    this.#log ??= this.#tools.log.with({ key: this.#attempt.key });
    return this.#log;
  }

  get failures(): number {
    return this.#attempt.failures;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get nowMs(): number {
    return this.#tools.questions.clock.now();
  }

  perform<R>(action: Action<R>): Promise<R | undefined> {
    return this.#track(async () => {
      const result = (await this.#apply([[action]])).resultOf(action);
      if (result.status === "skipped") this.signal.throwIfAborted();
      if (result.status === "failed") throw result.error;
      return result.status === "done" ? (result.value as R) : undefined;
    });
  }

  carryOut(steps: readonly Step[]): Promise<Outcome> {
    return this.#track(async () => {
      const outcome = await this.#apply(steps);
      this.signal.throwIfAborted();
      return outcome;
    });
  }

  answer<A>(question: Question<A>): Promise<A> {
    return this.#track(async () => {
      this.#throwIfOver();
      const answers = new Answers();
      await answerQuestions([question], answers, this.#tools.questions, this.signal);
      const answer = answers.answer(question);
      if (answer === undefined || !answer.ok) throw answer?.error ?? new Error(`no answer to ${question.id}`);
      return answer.value;
    });
  }

  record(event: Parameters<ProcedureContext["record"]>[0]): void {
    this.#throwIfOver();
    this.#tools.apply.recordEvent(event);
  }

  wake(...wakes: readonly Wake[]): void {
    this.#throwIfOver();
    this.#tools.wake(wakes);
  }

  /** Whether no request is in flight. */
  get isIdle(): boolean {
    return this.#underWay === undefined || this.#underWay.size === 0;
  }

  /** Waits for the requests in flight; returns the first failure, if there is one. */
  async join(): Promise<Error | undefined> {
    let error: Error | undefined;
    while (this.#underWay !== undefined && this.#underWay.size > 0) {
      const settled = await Promise.allSettled(this.#underWay);
      for (const each of settled) if (each.status === "rejected") error ??= toError(each.reason);
    }
    return error;
  }

  /** From now on the context refuses all calls. */
  end(): void {
    this.#isOver = true;
    this.#attempt.end(() => newOver(this.#attempt.key));
  }

  #throwIfOver(): void {
    if (this.#isOver) throw newOver(this.#attempt.key);
    this.#attempt.throwIfAborted();
  }

  async #apply(steps: readonly Step[]): Promise<Outcome> {
    this.#throwIfOver();
    const onResult = (action: Action, result: ActionResult) => {
      this.snapshot.note(action, result);
      this.#tools.gate.note(this.#attempt.key, action, result);
    };
    return await applyPlan(plan("procedure", steps), this.#tools.apply, { attempt: this.#attempt, onResult });
  }

  #track<R>(work: () => Promise<R>): Promise<R> {
    const promise = work();
    this.#underWay ??= new Set();
    const underWay = this.#underWay;
    underWay.add(promise);
    const forget = () => void underWay.delete(promise);
    promise.then(forget, forget);
    return promise;
  }
}

function newOver(key: string): KubeloopError {
  return new KubeloopError(`the reconcile of ${key} is over`, { reason: "Over", retry: "never" });
}
