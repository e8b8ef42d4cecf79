// The scenario of one seed, as plain data: the options of the informer, the handlers, the faults, the pauses between writes. All other random
// choices of a run come from forks of the same seed.
import type { FaultRule } from "../../api/index.ts";
import { type Random, randomBelow, type SeededRandom, seededRandom } from "../../base/index.ts";
import type { Encoding } from "../../client/index.ts";
import type { BodyStyle, ServerBehaviour } from "../fake-server/index.ts";
import type { Theme } from "./disturbances.fixture.ts";
import { chance, pick } from "./draw.fixture.ts";
import { faultRules } from "./fault-rules.fixture.ts";

export interface HandlerPlan {
  readonly name: string;
  /** The handler is added after so many writes. With 0 and "outside" it is added before the informer runs. */
  readonly joinsAfter: number;
  /** Where the handler is added: between writes, or in a callback of a handler, possibly during a relist. */
  readonly joinsFrom: "outside" | "callback";
  readonly leavesAfter: number | undefined;
  /** The longest time that a call of the handler takes; undefined for a synchronous handler. */
  readonly slowMs: number | undefined;
  readonly throwsChance: number;
  /** When more events than this wait for the handler, they are merged. */
  readonly maxQueued: number | undefined;
  readonly resyncMs: number;
}

export interface Scenario {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly body: BodyStyle;
  /** In which encoding the informer asks for bytes. */
  readonly encoding: Encoding;
  readonly queue: "in-order" | "delta-fifo";
  readonly behaviour: Partial<ServerBehaviour>;
  readonly canWatchList: boolean;
  /** What sets the page size of lists: the source, for every list, or the reflector. Undefined for lists without pages. */
  readonly pagesFrom: "source" | "reflector" | undefined;
  readonly pageSize: number;
  /** Whether the watch cache has only a part of the objects at the start. */
  readonly startsBehind: boolean;
  readonly resyncMs: number;
  readonly hasSelector: boolean;
  readonly hasTransform: boolean;
  /** How often the transform throws for an object of the first list. The next time it accepts the object. */
  readonly transformFailures: number;
  readonly oddEventChance: number;
  /** Whether the first list may be sent without its resourceVersion. */
  readonly canOmitVersion: boolean;
  /** The probability that virtual time passes while work is done. */
  readonly busyChance: number;
  readonly maxInternalErrorRetryMs: number;
  readonly initialObjects: number;
  readonly writes: number;
  /** The maximum number of writes in a burst. */
  readonly maxBurst: number;
  /** The longest pause between two bursts. */
  readonly maxPauseMs: number;
  /** The probability of a disturbance between two bursts. */
  readonly disturbanceChance: number;
  readonly theme: Theme;
  readonly faults: readonly FaultRule[];
  readonly handlers: readonly HandlerPlan[];
}

/** From small, frequent bursts that take two minutes in all, to large bursts over a quarter of an hour. */
const paces = [
  { maxBurst: 3, maxPauseMs: 1_500 },
  { maxBurst: 8, maxPauseMs: 6_000 },
  { maxBurst: 16, maxPauseMs: 20_000 },
  { maxBurst: 30, maxPauseMs: 60_000 },
] as const;

export function scenarioOf(seed: number): Scenario {
  const random = seededRandom(`informer ${seed}`);
  const draw = random.fork("scenario");
  const resyncMs = pick(draw, [0, 0, 0, 60_000, 10_000]);
  const writes = 500;
  const theme = pick(draw, ["anything", "anything", "anything", "outages", "servers behind", "internal errors"]);
  const isAnything = theme === "anything";
  const canOmitVersion = isAnything && chance(draw, 0.25);
  const pagesFrom = pick(draw, isAnything ? [undefined, "reflector", "source"] : [undefined]);
  return {
    seed,
    random,
    encoding: pick(random.fork("encoding"), ["json", "protobuf"]),
    body: pick(draw, canOmitVersion ? ["values"] : ["values", "bytes"]),
    queue: pick(draw, ["in-order", "in-order", "delta-fifo"]),
    behaviour: {
      watchList: pick(draw, ["supported", "supported", "refused", "ignored"]),
      listsFrom: pick(draw, pagesFrom === "source" ? ["storage"] : isAnything ? ["cache", "storage"] : ["cache"]),
      historySize: pick(draw, [10_000, 100, 15]),
    },
    // Faults of lists rarely occur in a seed that streams its lists, so seeds with pages from the source stream less often.
    canWatchList: !canOmitVersion && chance(draw, pagesFrom === "source" ? 0.2 : 0.6),
    pagesFrom,
    pageSize: pick(draw, [7, 20]),
    startsBehind: chance(draw, 0.2),
    resyncMs,
    hasSelector: chance(draw, 0.3),
    hasTransform: chance(draw, 0.5),
    transformFailures: pick(draw, [0, 3]),
    oddEventChance: pick(draw, [0, 0, 0.3]),
    canOmitVersion,
    busyChance: pick(draw, [0, 0.02, 0.3, 0.6]),
    maxInternalErrorRetryMs: pick(draw, [0, 30_000]),
    initialObjects: pick(draw, [50, 50, 50, 50, 80, 300]),
    writes,
    ...pick(draw, paces),
    disturbanceChance: pick(draw, isAnything ? [0.05, 0.2, 0.5] : [0.1, 0.3]),
    theme,
    // With a theme there are fewer other faults, so that they do not hide its effects.
    faults: faultRules(draw, isAnything ? 0.2 : 0.05),
    handlers: handlerPlans(draw, writes, resyncMs),
  };
}

function handlerPlans(draw: Random, writes: number, resyncMs: number): readonly HandlerPlan[] {
  return Array.from({ length: 1 + randomBelow(draw, 4) }, (_, i) => {
    const slowMs = pick(draw, [undefined, undefined, 0, 20, 400]);
    return {
      name: `handler-${i}`,
      joinsAfter: i === 0 || chance(draw, 0.5) ? 0 : randomBelow(draw, writes),
      joinsFrom: i > 0 && chance(draw, 0.5) ? "callback" : "outside",
      leavesAfter: i > 0 && chance(draw, 0.2) ? randomBelow(draw, writes) : undefined,
      slowMs,
      throwsChance: pick(draw, [0, 0, 0.1]),
      maxQueued: pick(draw, [undefined, undefined, 1, 10]),
      // A slow handler with a resync would never finish.
      resyncMs: slowMs === 400 || chance(draw, 0.5) ? 0 : resyncMs,
    };
  });
}
