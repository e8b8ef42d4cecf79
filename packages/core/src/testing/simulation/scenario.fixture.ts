// What one seed stands for, as plain data: how the informer is set up, who listens, which faults are about, how long the
// writers pause. Everything else a run draws comes from forks of the same seed.
import type { FaultRule } from "../../api/index.ts";
import { type Random, randomBelow, type SeededRandom, seededRandom } from "../../base/index.ts";
import type { BodyStyle, ServerBehaviour } from "../fake-server/index.ts";
import type { Theme } from "./disturbances.fixture.ts";
import { chance, pick } from "./draw.fixture.ts";
import { faultRules } from "./fault-rules.fixture.ts";

export interface HandlerPlan {
  readonly name: string;
  /** After so many writes; after none, from outside, is before the informer runs. */
  readonly joinsAfter: number;
  /** Where it joins from: between writes, or from a callback of the first handler, perhaps in the midst of a relist. */
  readonly joinsFrom: "outside" | "callback";
  readonly leavesAfter: number | undefined;
  /** How long it takes at most; undefined for one that is done when it returns. */
  readonly slowMs: number | undefined;
  readonly throwsChance: number;
  /** From here on what waits is merged. */
  readonly maxQueued: number | undefined;
  readonly resyncMs: number;
}

export interface Scenario {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly body: BodyStyle;
  readonly queue: "in-order" | "delta-fifo";
  readonly behaviour: Partial<ServerBehaviour>;
  readonly canWatchList: boolean;
  /** Who asks for pages, if anyone does: the source whatever it is asked for, or the reflector. */
  readonly pagesFrom: "source" | "reflector" | undefined;
  readonly pageSize: number;
  /** Whether the watch cache has only part of the objects at first. */
  readonly startsBehind: boolean;
  readonly resyncMs: number;
  readonly hasSelector: boolean;
  readonly hasTransform: boolean;
  /** How often the transform refuses an object of the first list, which it takes the next time. */
  readonly transformFailures: number;
  readonly oddEventChance: number;
  /** Whether the first list may come without its version. */
  readonly canOmitVersion: boolean;
  /** How often time passes while work is done. */
  readonly busyChance: number;
  readonly maxInternalErrorRetryMs: number;
  readonly initialObjects: number;
  readonly writes: number;
  /** Writes come in bursts of at most so many, */
  readonly maxBurst: number;
  /** and with pauses of at most so long. */
  readonly maxPauseMs: number;
  /** How often something is done to the server between two bursts. */
  readonly disturbanceChance: number;
  readonly theme: Theme;
  readonly faults: readonly FaultRule[];
  readonly handlers: readonly HandlerPlan[];
}

/** From a steady drizzle of two minutes to showers for a quarter of an hour. */
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
    body: pick(draw, canOmitVersion ? ["values"] : ["values", "bytes"]),
    queue: pick(draw, ["in-order", "in-order", "delta-fifo"]),
    behaviour: {
      watchList: pick(draw, ["supported", "supported", "refused", "ignored"]),
      listsFrom: pick(draw, pagesFrom === "source" ? ["storage"] : isAnything ? ["cache", "storage"] : ["cache"]),
      historySize: pick(draw, [10_000, 100, 15]),
    },
    // What is about lists is seldom seen where they are streamed.
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
    // A theme is seen best where nothing else is in its way.
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
      // One that is slow and told all over again would never be done.
      resyncMs: slowMs === 400 || chance(draw, 0.5) ? 0 : resyncMs,
    };
  });
}
