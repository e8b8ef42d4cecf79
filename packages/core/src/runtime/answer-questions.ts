// Answers the questions of `decide` in parallel. A question that fails gets its error as the answer, so it does not affect the other
// questions. `answerQuestions` throws only if the whole reconcile is aborted.
import { assertNever, type Clock, KubeloopError, timeoutSignal, toError } from "../base/index.ts";
import type { Client } from "../client/index.ts";
import { type Answers, answered, isReadCovered, unanswered } from "../contract/for-drivers.ts";
import type { Access, Answer, Question, Served } from "../contract/index.ts";
import { parallelizeUntil } from "../workqueue/index.ts";
import type { LiveReader } from "./live-reader.ts";
import type { Ports } from "./ports.ts";
import type { TraceRequest } from "./tracing/controller-spans.ts";

export interface QuestionTools {
  readonly reader: LiveReader;
  readonly discovery: Pick<Client["discovery"], "refresh">;
  readonly ports: Ports;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  /** The reads that the controller declares. A question that is not among them is answered with an error. */
  readonly reads: readonly Access[];
  readonly trace?: TraceRequest | undefined;
}

const atOnce = 16;

export async function answerQuestions(
  questions: readonly Question[],
  answers: Answers,
  tools: QuestionTools,
  signal: AbortSignal,
): Promise<void> {
  const one = async (piece: number) => {
    const question = questions[piece];
    if (question === undefined) return;
    const attempt = () => answer(question, tools, signal);
    answers.give(question, await (tools.trace === undefined ? attempt() : tools.trace(question, attempt)));
  };
  await parallelizeUntil({ workers: atOnce, pieces: questions.length }, one, signal);
  signal.throwIfAborted();
}

async function answer(question: Question, tools: QuestionTools, signal: AbortSignal): Promise<Answer<unknown>> {
  if (!isReadCovered(question, tools.reads)) return unanswered(newUndeclared(question));
  using limit = timeoutSignal(signal, tools.requestTimeoutMs, { clock: tools.clock, what: question.id });
  try {
    return answered(await read(question, tools, limit.signal));
  } catch (error) {
    return unanswered(toError(error));
  }
}

async function read(question: Question, tools: QuestionTools, signal: AbortSignal): Promise<unknown> {
  switch (question.about) {
    case "object": {
      const { resource, key, subresource, view } = question;
      if (subresource === undefined) return await tools.reader.get(resource, key, view, signal);
      return await tools.reader.getSubresource(resource, { key, subresource }, signal);
    }
    case "list":
      return await tools.reader.list(question.resource, question, signal);
    case "served":
      return (await tools.discovery.refresh(signal)) satisfies Served;
    case "port":
      return await tools.ports.call(question.port, question.request, signal);
    default:
      return assertNever(question);
  }
}

function newUndeclared({ id }: Question): KubeloopError {
  const message = `"${id}" is not declared: add it to the reads of the controller`;
  return new KubeloopError(message, { reason: "Undeclared", retry: "never" });
}
