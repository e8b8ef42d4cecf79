// The spans of one controller: event → queue → reconcile → ask, write.
//
// - `event pods`: a change that adds a key to a queue. It has no duration and is the root of a trace. It is linked to the write that caused
//   the change, if a controller with the same tracer made that write.
// - `reconcile <controller>`: one reconcile of a key. It is the root of a trace, linked to every event, failed attempt or requeue that led to
//   it (the first sixteen). It is the active span while a procedure runs, so spans of other instrumented code become its children.
// - children of that: `queue` (the wait since the first of these causes), `ask get pods`, `create pods` and so on, one for each request.
//
// Without a tracer, no span is created and nothing is kept in memory.
import { type KubernetesObject, keyOf } from "../../api/index.ts";
import { type Clock, toError } from "../../base/index.ts";
import { keyOfAction, resourceId } from "../../contract/for-drivers.ts";
import { type Action, type Change, printAction, type Question } from "../../contract/index.ts";
import { contextOf, errorStatus, type Span, type SpanContext, spanKinds, type Tracer } from "./tracer.ts";

export interface ControllerSpansOptions {
  readonly tracer: Tracer;
  readonly controller: string;
  readonly clock: Clock;
}

/** What led to the reconcile of a key, and since when the key waits. */
interface Trail {
  readonly links: SpanContext[];
  /** Wall time. */
  sinceMs: number;
}

/** Runs one request (`work`) in its own span. */
export type TraceRequest = <R>(what: Action | Question, work: () => Promise<R>) => Promise<R>;

const mostLinks = 16;

export class ControllerSpans {
  readonly #options: ControllerSpansOptions;
  readonly #writes: WriteTrail;
  readonly #trails = new Map<string, Trail>();

  constructor(options: ControllerSpansOptions) {
    this.#options = options;
    this.#writes = writesOf(options.tracer);
  }

  /**
   * Returns a function that creates the span of this change on its first call, which is when the change adds a key. By then the response
   * to the write that caused the change has usually arrived, so that the span can be linked to it.
   */
  event(change: Change): () => SpanContext {
    let made: SpanContext | undefined;
    const atMs = this.#options.clock.now();
    return () => {
      made ??= this.#recordEvent(change, atMs);
      return made;
    };
  }

  woken(queue: string, key: string, cause: { readonly by?: SpanContext | undefined; readonly afterMs?: number }): void {
    const id = `${queue} ${key}`;
    const sinceMs = this.#options.clock.now() + (cause.afterMs ?? 0);
    const trail = this.#trails.get(id) ?? { links: [], sinceMs };
    trail.sinceMs = Math.min(trail.sinceMs, sinceMs);
    if (cause.by !== undefined && trail.links.length < mostLinks) trail.links.push(cause.by);
    this.#trails.set(id, trail);
  }

  /** Runs the reconcile of a key in its own span. */
  async reconcile<R>(queue: string, key: string, work: (span: Span) => Promise<R>): Promise<R> {
    const { tracer, controller, clock } = this.#options;
    const id = `${queue} ${key}`;
    const trail = this.#trails.get(id);
    this.#trails.delete(id);
    const options = {
      kind: spanKinds.consumer,
      root: true,
      attributes: { "kubeloop.controller": controller, "kubeloop.queue": queue, "kubeloop.key": key },
      links: (trail?.links ?? []).map((context) => ({ context })),
    };
    return await tracer.startActiveSpan(`reconcile ${controller}`, options, contextOf(undefined), async (span) => {
      const nowMs = clock.now();
      const startTime = Math.min(trail?.sinceMs ?? nowMs, nowMs);
      tracer.startSpan("queue", { kind: spanKinds.internal, startTime }, contextOf(span)).end(nowMs);
      return await inSpan(span, () => work(span));
    });
  }

  /** Returns a function that creates the spans of the requests in one reconcile. */
  requestsIn(parent: Span): TraceRequest {
    const { tracer } = this.#options;
    return async (what, work) => {
      const { name, attributes } = describe(what);
      const span = tracer.startSpan(name, { kind: spanKinds.client, attributes }, contextOf(parent));
      const answer = await inSpan(span, work);
      if ("type" in what && "resource" in what) this.#writes.add(what, answer, span.spanContext());
      return answer;
    };
  }

  #recordEvent(change: Change, startTime: number): SpanContext {
    const { resource, type, cause = "change", object } = change;
    const by = this.#writes.find(resourceId(resource), object);
    const attributes = {
      "kubeloop.controller": this.#options.controller,
      "kubeloop.change": type,
      "kubeloop.cause": cause,
      "kubeloop.object": keyOf(object),
      "kubeloop.resourceVersion": object.metadata.resourceVersion ?? "",
    };
    const links = by === undefined ? [] : [{ context: by }];
    const options = { kind: spanKinds.producer, root: true, attributes, links, startTime };
    const span = this.#options.tracer.startSpan(`event ${resource.plural}`, options, contextOf(undefined));
    span.end(startTime);
    return span.spanContext();
  }
}

/** Remembers which write produced which version of an object: the last few thousand writes of all controllers with the same tracer. */
class WriteTrail {
  readonly #spans = new Map<string, SpanContext>();

  add(action: Action, answer: unknown, span: SpanContext): void {
    if (!("resource" in action)) return;
    // The answer is an ActionResult; if the action was done, its value is the object.
    const value = (answer as { readonly value?: unknown } | undefined)?.value;
    const { metadata } = (value ?? {}) as Partial<KubernetesObject>;
    if (metadata?.resourceVersion === undefined) return;
    this.#spans.set(`${resourceId(action.resource)} ${keyOf({ metadata })} ${metadata.resourceVersion}`, span);
    for (const oldest of this.#spans.keys()) {
      if (this.#spans.size <= 4096) break;
      this.#spans.delete(oldest);
    }
  }

  find(id: string, object: KubernetesObject): SpanContext | undefined {
    return this.#spans.get(`${id} ${keyOf(object)} ${object.metadata.resourceVersion ?? ""}`);
  }
}

const writesByTracer = new WeakMap<Tracer, WriteTrail>();

function writesOf(tracer: Tracer): WriteTrail {
  const writes = writesByTracer.get(tracer) ?? new WriteTrail();
  writesByTracer.set(tracer, writes);
  return writes;
}

/** Ends the span when the work has ended, and records a failure in it. */
async function inSpan<R>(span: Span, work: () => Promise<R>): Promise<R> {
  try {
    const answer = await work();
    const error = failureIn(answer);
    if (error !== undefined) markFailed(span, error);
    return answer;
  } catch (error) {
    markFailed(span, toError(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Requests return failures in their answer instead of throwing them. */
function failureIn(answer: unknown): Error | undefined {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return undefined;
  if ("status" in answer && answer.status === "tolerated") return undefined;
  return answer.error instanceof Error ? answer.error : undefined;
}

function markFailed(span: Span, error: Error): void {
  span.recordException(error);
  span.setStatus({ code: errorStatus, message: error.message });
}

function describe(what: Action | Question): { readonly name: string; readonly attributes: { [name: string]: string } } {
  if ("type" in what) {
    const printed = printAction(what);
    const key = keyOfAction(what);
    return {
      name: printed.split(" ").slice(0, 2).join(" "),
      attributes: { "kubeloop.object": key ?? "", "kubeloop.action": printed },
    };
  }
  const name = what.about === "object" ? "ask get" : what.about === "list" ? "ask list" : `ask ${what.about}`;
  const where = "resource" in what ? ` ${what.resource.plural}` : what.about === "port" ? ` ${what.port.name}` : "";
  return { name: `${name}${where}`, attributes: { "kubeloop.question": what.id } };
}
