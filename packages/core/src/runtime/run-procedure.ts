// Runs a procedure for one key, with hands that write through the same door as plans do: what it writes is noted with the gate,
// checked against what the controller says it writes, and seen in what it reads next.
//
// Promises: when this returns, nothing of it is under way. A request that the procedure did not wait for is waited for here, and its
// failure is the procedure's. Afterwards the hands refuse everything.
import { childSignal, KubeloopError, type Log, toError } from "../base/index.ts";
import {
  type Action,
  type ActionResult,
  Answers,
  type Hands,
  type Outcome,
  type Procedure,
  type Wake,
} from "../contract/index.ts";
import { answerQuestions, type QuestionTools } from "./answer-questions.ts";
import { type ApplyTools, applyPlan } from "./apply.ts";
import type { ControllerCaches } from "./cache-snapshot.ts";
import { OwnWritesView, StaleReadError } from "./own-writes-view.ts";
import { isPanic, PanicError } from "./panic-error.ts";
import type { WriteGate } from "./read-your-writes.ts";
import type { Reconciled } from "./reconcile.ts";

export interface ProcedureTools {
  readonly caches: ControllerCaches;
  readonly gate: WriteGate;
  readonly questions: QuestionTools;
  readonly apply: ApplyTools;
  readonly log: Log;
  readonly failures: number;
  readonly wake: (wakes: readonly Wake[]) => void;
}

/** How soon to look again after a read that cannot be known yet. */
const staleWaitMs = 50;

export async function runProcedure(
  key: string,
  procedure: Procedure,
  tools: ProcedureTools,
  signal: AbortSignal,
): Promise<Reconciled> {
  using over = childSignal(signal);
  const hands = new ProcedureHands(key, tools, over.signal);
  try {
    const result = await procedure(key, hands, over.signal);
    const error = await hands.join();
    // Whatever it made of being told so: what it did after its time was up was refused.
    signal.throwIfAborted();
    return { kind: "done", reason: "procedure", actions: hands.actions, requeueAfterMs: result?.requeueAfterMs, error };
  } catch (thrown) {
    await hands.join();
    if (thrown instanceof StaleReadError) return { kind: "stale", waitMs: staleWaitMs };
    throw isPanic(thrown) ? new PanicError("reconcile", thrown) : thrown;
  } finally {
    over.abort(new KubeloopError(`the reconcile of ${key} is over`, { reason: "Over", retry: "never" }));
  }
}

class ProcedureHands implements Hands {
  readonly snapshot: OwnWritesView;
  readonly log: Log;
  readonly failures: number;
  actions = 0;
  readonly #key: string;
  readonly #tools: ProcedureTools;
  readonly #signal: AbortSignal;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(key: string, tools: ProcedureTools, signal: AbortSignal) {
    this.#key = key;
    this.#tools = tools;
    this.#signal = signal;
    this.snapshot = new OwnWritesView(tools.caches);
    this.log = tools.log.with({ key });
    this.failures = tools.failures;
  }

  now(): number {
    return this.#tools.questions.clock.now();
  }

  perform<R>(action: Action<R>): Promise<R | undefined> {
    return this.#track(async () => {
      const result = (await this.#apply([[action]])).resultOf(action);
      if (result.status === "skipped") this.#signal.throwIfAborted();
      if (result.status === "failed") throw result.error;
      return result.status === "done" ? (result.value as R) : undefined;
    });
  }

  carryOut(steps: readonly (readonly Action[])[]): Promise<Outcome> {
    return this.#track(async () => {
      const outcome = await this.#apply(steps);
      this.#signal.throwIfAborted();
      return outcome;
    });
  }

  answer<A>(question: Parameters<Hands["answer"]>[0]): Promise<A> {
    return this.#track(async () => {
      const answers = new Answers();
      await answerQuestions([question], answers, this.#tools.questions, this.#signal);
      const answer = answers.answer(question);
      if (answer === undefined || !answer.ok) throw answer?.error ?? new Error(`no answer to ${question.id}`);
      return answer.value as A;
    });
  }

  record(event: Parameters<Hands["record"]>[0]): void {
    this.#signal.throwIfAborted();
    this.#tools.apply.recordEvent(event);
  }

  wake(...wakes: readonly Wake[]): void {
    this.#signal.throwIfAborted();
    this.#tools.wake(wakes);
  }

  /** Waits for what is under way; the first failure of it, if there is one. */
  async join(): Promise<Error | undefined> {
    let error: Error | undefined;
    while (this.#underWay.size > 0) {
      const settled = await Promise.allSettled(this.#underWay);
      for (const each of settled) if (each.status === "rejected") error ??= toError(each.reason);
    }
    return error;
  }

  async #apply(steps: readonly (readonly Action[])[]): Promise<Outcome> {
    this.#signal.throwIfAborted();
    this.actions += steps.flat().length;
    const note = (action: Action, result: ActionResult) => {
      this.snapshot.note(action, result);
      this.#tools.gate.note(this.#key, action, result);
    };
    return await applyPlan({ steps }, this.#tools.apply, note, this.#signal);
  }

  #track<R>(work: () => Promise<R>): Promise<R> {
    const promise = work();
    this.#underWay.add(promise);
    const forget = () => void this.#underWay.delete(promise);
    promise.then(forget, forget);
    return promise;
  }
}
