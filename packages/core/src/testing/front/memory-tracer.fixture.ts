// A tracer that stores spans with their parents, links, times and results.
import type { Clock } from "../../base/index.ts";
import type { AttributeValue, Span, SpanContext, SpanOptions, TraceContext, Tracer } from "../../runtime/index.ts";

export interface RememberedSpan {
  readonly name: string;
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly links: readonly string[];
  readonly kind: number | undefined;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly startMs: number;
  endMs: number | undefined;
  error: string | undefined;
}

const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

export class MemoryTracer implements Tracer {
  readonly spans: RememberedSpan[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  startSpan(name: string, options: SpanOptions = {}, context?: TraceContext): Span {
    const parent = options.root === true ? undefined : (context?.getValue(spanKey) as Span | undefined);
    const id = String(this.spans.length + 1);
    const traceId = parent?.spanContext().traceId ?? `trace ${id}`;
    const remembered: RememberedSpan = {
      name,
      id,
      traceId,
      parentId: parent?.spanContext().spanId,
      links: (options.links ?? []).map(({ context: { spanId } }) => spanId),
      kind: options.kind,
      attributes: { ...options.attributes },
      startMs: options.startTime ?? this.#clock.now(),
      endMs: undefined,
      error: undefined,
    };
    this.spans.push(remembered);
    const spanContext: SpanContext = { traceId, spanId: id, traceFlags: 1 };
    return {
      spanContext: () => spanContext,
      setAttribute: () => {},
      setStatus: ({ code, message }) => {
        if (code === 2) remembered.error = message ?? "";
      },
      recordException: () => {},
      end: (endTime) => {
        remembered.endMs = endTime ?? this.#clock.now();
      },
    };
  }

  startActiveSpan<R>(name: string, options: SpanOptions, context: TraceContext, work: (span: Span) => R): R {
    return work(this.startSpan(name, options, context));
  }

  named(name: string): readonly RememberedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  childrenOf({ id }: RememberedSpan): readonly string[] {
    return this.spans.filter(({ parentId }) => parentId === id).map(({ name }) => name);
  }
}
