// The ports that services get on every node. As with addresses, the lower ones are for those who name theirs.
import { type Random, randomBelow } from "@kubeloop/core/base";

const first = 30_000;
const last = 32_767;
/** A thirty-second of all. */
const lowerCount = 86;

export const nodePortRange = `${first}-${last}`;

export const isNodePort = (port: number): boolean => port >= first && port <= last;

/** Every port once: the upper ones from somewhere on, then the lower. */
export function* nodePortsToTry(random: Random): Generator<number> {
  yield* fromAnywhere(first + lowerCount, last, random);
  yield* fromAnywhere(first, first + lowerCount - 1, random);
}

function* fromAnywhere(from: number, to: number, random: Random): Generator<number> {
  const count = to - from + 1;
  const start = randomBelow(random, count);
  for (let i = 0; i < count; i++) yield from + ((start + i) % count);
}

/** What a dry run shows instead of a port: the next after those it has named so far, or one that nobody can have. */
export const placeholderPort = (taken: ReadonlySet<number>): number =>
  (taken.size === 0 ? last + 1 : Math.max(...taken)) + 1;
