// What servers and proxies send that they should not: events of another kind, which a cache must neither keep nor take a
// version from, and a list that does not say its version.
import { type ApiResponse, queryValue, type ResponseBody, requestInfoOf, type Transport } from "../../api/index.ts";
import { deepFreeze, type Random } from "../../base/index.ts";
import { chance } from "./draw.fixture.ts";

export const oddAnswerNames = ["odd event in a watch", "list without a version"] as const;

export interface OddAnswerOptions {
  readonly random: Random;
  /** How often a watch has things in it that do not belong there. */
  readonly oddEventChance: number;
  /** Whether a list may be sent without its version: what happens between it and its watch would be lost. */
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
      return withBody(response, withOddEvents(response.body, random));
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

function withOddEvents(body: ResponseBody, random: Random): ResponseBody {
  if (body.kind === "values") return { kind: "values", values: interspersed(body.values, oddEvent, random) };
  if (body.kind !== "bytes") return body;
  // The fake server sends whole lines.
  const line = new TextEncoder().encode(`${JSON.stringify(oddEvent)}\n`);
  return { kind: "bytes", bytes: interspersed(body.bytes, line, random) };
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
