// The interface of a tracer: the part of OpenTelemetry's interfaces that is used here. A tracer of `@opentelemetry/api` can be passed without
// an adapter (`tracer: trace.getTracer("my-operator")`), and a program without tracing does not load OpenTelemetry.

export interface Tracer {
  startSpan(name: string, options?: SpanOptions, context?: TraceContext): Span;
  /** While `work` runs, including what it awaits, the span is OpenTelemetry's active span. */
  startActiveSpan<R>(name: string, options: SpanOptions, context: TraceContext, work: (span: Span) => R): R;
}

export interface Span {
  spanContext(): SpanContext;
  setAttribute(name: string, value: AttributeValue): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error): void;
  end(endTime?: number): void;
}

/** Identifies a span, so that other spans can link to it. */
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

/** The context in which spans are started. OpenTelemetry's own Context type has this interface, too. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

/** OpenTelemetry's numbers. */
export const spanKinds = { internal: 0, client: 2, producer: 3, consumer: 4 } as const;
export const errorStatus = 2;

// The key under which OpenTelemetry looks up the parent span in a context. It is a registered symbol, so that several copies of OpenTelemetry's
// packages in one process use the same key; for the same reason the key does not change.
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** Returns a context. Spans started in it are children of `parent`; without a parent, they are root spans. */
export function contextOf(parent: Span | undefined): TraceContext {
  return newContext(parent === undefined ? new Map() : new Map([[spanKey, parent]]));
}

/** Returns the parent span of a context. */
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
