// Faults between client and server, as rules for the transport. Each seed has some of them, each with its own probability. Coverage counts them
// by name.
import { type ApiRequest, type FaultRule, queryValue, type TransportFault } from "../../api/index.ts";
import { type Random, randomBelow } from "../../base/index.ts";
import { chance, pick } from "./draw.fixture.ts";

const refused = (code: number, retryAfterSeconds = 0): TransportFault => ({ kind: "status", code, retryAfterSeconds });
const late = (when: "before" | "after"): TransportFault => ({
  kind: "delay",
  when,
  delayMs: { minMs: 1, maxMs: 20_000 },
});
const isLaterPage = ({ query }: ApiRequest) => queryValue(query, "continue") !== undefined;

/** The faults of lists; `watchFaults` has those of watches. A stream breaks after at most `after` items: `scaled` draws the number. */
const listFaults = {
  "list comes late": late("before"),
  "list is sent late": late("after"),
  "list is refused with 429": refused(429),
  "list is refused with 429 for a second": refused(429, 1),
  "list is refused with 500": refused(500),
  "list is refused with 503": refused(503),
  "list is refused with 410": refused(410),
  "list is refused with 403": refused(403),
  "list is refused with 404": refused(404),
  "list is lost on its way": { kind: "reset", when: "before" },
  "list is answered to nobody": { kind: "reset", when: "after" },
  "list is never answered": { kind: "silence" },
  "list is cut": { kind: "cut", after: 3, how: "reset" },
} as const satisfies Record<string, TransportFault>;

const watchFaults = {
  "watch opens late": late("before"),
  "watch starts late": late("after"),
  "watch is refused with 429": refused(429),
  "watch is refused with 429 for a second": refused(429, 1),
  "watch is refused with 500": refused(500),
  "watch is refused with 503": refused(503),
  "watch is refused with 410": refused(410),
  "watch is refused with 403": refused(403),
  "watch is refused with 404": refused(404),
  "watch is lost on its way": { kind: "reset", when: "before" },
  "watch is never answered": { kind: "silence" },
  "watch is cut at once": { kind: "cut", after: 0, how: "reset" },
  "watch is cut": { kind: "cut", after: 5, how: "reset" },
  "watch ends at once": { kind: "cut", after: 0, how: "end" },
  "watch ends early": { kind: "cut", after: 5, how: "end" },
  "watch falls silent at once": { kind: "stall", after: 0 },
  "watch falls silent": { kind: "stall", after: 5 },
} as const satisfies Record<string, TransportFault>;

const pageFault = "page comes late";

/** The names of all faults, for coverage. */
export const faultNames: readonly string[] = [...Object.keys(listFaults), ...Object.keys(watchFaults), pageFault];

/** Returns some of the rules: each is included with the probability `share`. */
export function faultRules(draw: Random, share: number): readonly FaultRule[] {
  const rules = [
    ...Object.entries(listFaults).map(([name, fault]) => ruleOf(draw, name, "list", fault)),
    ...Object.entries(watchFaults).map(([name, fault]) => ruleOf(draw, name, "watch", fault)),
  ].filter(() => chance(draw, share));
  const match = { verbs: ["list"], where: isLaterPage };
  return [...rules, { name: pageFault, fault: late("before"), match, probability: 0.3 }];
}

function ruleOf(draw: Random, name: string, verb: string, fault: TransportFault): FaultRule {
  // A watch that fails immediately has an effect only if this happens several times in a row.
  const probability = pick(draw, name.endsWith("at once") ? [0.3, 0.9] : [0.05, 0.05, 0.3, 0.3, 0.9]);
  const match = { verbs: [verb], resources: ["pods"] };
  return { name, match, probability, maxTimes: pick(draw, [2, 6, 1_000]), fault: scaled(draw, fault) };
}

/** Streams break at any position; if they are bytes, also within an event. */
function scaled(draw: Random, fault: TransportFault): TransportFault {
  if (fault.kind !== "cut" && fault.kind !== "stall") return fault;
  return { ...fault, after: randomBelow(draw, fault.after + 1) };
}
