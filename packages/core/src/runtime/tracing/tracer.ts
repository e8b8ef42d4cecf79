// What tracing needs of a tracer: as much of OpenTelemetry's own interfaces as is used here, so that a tracer of `@opentelemetry/api`
// fits as it is (`tracer: trace.getTracer("my-operator")`), and nothing of it is loaded by who has none.

export interface Tracer {
  startSpan(name: string, options?: SpanOptions, context?: TraceContext): Span;
  /** While `work` is called, and in what it awaits, the span is the active one, for whoever asks OpenTelemetry for that. */
  startActiveSpan<R>(name: string, options: SpanOptions, context: TraceContext, work: (span: Span) => R): R;
}

export interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: AttributeValue): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): void;
  end(endTime?: number): void;
}

/** What remains of a span for others to point at. */
export interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

export type AttributeValue = string | number | boolean;

export interface SpanOptions {
  kind?: number;
  attributes?: { [name: string]: AttributeValue };
  links?: { context: SpanContext }[];
  /** Wall time in milliseconds. */
  startTime?: number;
  root?: boolean;
}

/** What spans are started in: OpenTelemetry's own would do, and so does this. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

/** OpenTelemetry's numbers. */
export const spanKinds = { internal: 0, client: 2, producer: 3, consumer: 4 } as const;
export const errorStatus = 2;

// Under which OpenTelemetry looks for the span to be another's parent. Registered symbols are there so that several copies of its
// packages in one process agree on it, and for the same reason it does not change.
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Spans started in it are children of this one; of none, for undefined. */
export function contextOf(parent: Span | undefined): TraceContext {
  return newContext(parent === undefined ? new Map() : new Map([[spanKey, parent]]));
}

/** The span that a context was made of. */
export function parentIn(context: TraceContext | undefined): Span | undefined {
  return context?.getValue(spanKey) as Span | undefined;
}

function newContext(values: ReadonlyMap<symbol, unknown>): TraceContext {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => newContext(new Map(values).set(key, value)),
    deleteValue: (key) => newContext(new Map([...values].filter(([each]) => each !== key))),
  };
}
