// Wrong responses that servers and proxies may send: events with an object of another kind, which a cache must not store and whose version it
// must not use, and a list without a resourceVersion.
import {
  type ApiResponse,
  headerValue,
  loadProtobuf,
  queryValue,
  type ResponseBody,
  requestInfoOf,
  type Transport,
} from "../../api/index.ts";
import { deepFreeze, type Random } from "../../base/index.ts";
import { chance } from "./draw.fixture.ts";

export const oddAnswerNames = ["odd event in a watch", "list without a version"] as const;

export interface OddAnswerOptions {
  readonly random: Random;
  /** The probability that a watch contains wrong events. */
  readonly oddEventChance: number;
  /**
   * Whether a list may be sent without its resourceVersion. Changes between such a list
   * and its watch are lost, so this is not always allowed.
   */
  readonly canOmitVersion: () => boolean;
  readonly onHit: (name: (typeof oddAnswerNames)[number]) => void;
}

export function withOddAnswers(transport: Transport, options: OddAnswerOptions): Transport {
  const { random, oddEventChance, canOmitVersion, onHit } = options;
  return async (request, signal) => {
    const response = await transport(request, signal);
    const { verb } = requestInfoOf(request);
    if (response.status !== 200) return response;
    if (verb === "watch" && chance(random, oddEventChance)) {
      onHit("odd event in a watch");
      return withBody(response, withOddEvents(response, random));
    }
    if (verb === "list" && response.body.kind === "value" && canOmitVersion()) {
      if (queryValue(request.query, "continue") !== undefined) return response;
      onHit("list without a version");
      return withBody(response, withoutVersion(response.body.value as ListValue));
    }
    return response;
  };
}

interface ListValue {
  readonly metadata: { readonly continue?: string };
}

function withoutVersion(list: ListValue): ResponseBody {
  const token = list.metadata.continue;
  const metadata = token === undefined ? {} : { continue: token };
  return { kind: "value", value: deepFreeze({ ...list, metadata }) };
}

const oddEvent = deepFreeze({
  type: "MODIFIED",
  object: {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    metadata: { namespace: "alpha", name: "pod-00", resourceVersion: "999999999" },
  },
});

const protobuf = await loadProtobuf();

function withOddEvents({ body, headers }: ApiResponse, random: Random): ResponseBody {
  if (body.kind === "values") return { kind: "values", values: interspersed(body.values, oddEvent, random) };
  if (body.kind !== "bytes") return body;
  // The event can be inserted between chunks, because each chunk of the fake server is a whole event.
  const isProtobuf = headerValue(headers, "content-type")?.includes("protobuf") === true;
  const event = isProtobuf
    ? protobuf.encodeWatchFrame(oddEvent.type, protobuf.encodeEnvelope(oddEvent.object))
    : new TextEncoder().encode(`${JSON.stringify(oddEvent)}\n`);
  return { kind: "bytes", bytes: interspersed(body.bytes, event, random) };
}

async function* interspersed<T>(items: AsyncIterable<T>, odd: T, random: Random): AsyncGenerator<T, void, undefined> {
  yield odd;
  for await (const item of items) {
    yield item;
    if (chance(random, 0.3)) yield odd;
  }
}

function withBody(response: ApiResponse, body: ResponseBody): ApiResponse {
  return { ...response, body, [Symbol.asyncDispose]: () => response[Symbol.asyncDispose]() };
}
