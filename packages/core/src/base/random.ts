// The only source of randomness. `systemRandom` is the only caller of Math.random; a seeded source returns the same
// sequence on every platform. Not for secrets: keys and tokens come from node:crypto.

export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };

/** A seeded source that can be forked into independent sources, so that a new consumer does not shift the numbers of the others. */
export interface SeededRandom extends Random {
  readonly seed: string;
  /** Returns an independent source. The same name always gives the same sequence from its start, however many numbers were drawn before. */
  fork(name: string): SeededRandom;
}

export function seededRandom(seed: number | string): SeededRandom {
  const text = String(seed);
  const draw = sfc32(text);
  return {
    seed: text,
    next: () => draw() / 2 ** 32,
    fork: (name) => seededRandom(`${text}/${name}`),
  };
}

/** Returns a whole number in [0, bound). */
export function randomBelow(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

/** Returns a number in [low, high). */
export function randomBetween(random: Random, low: number, high: number): number {
  return low + random.next() * (high - low);
}

// Chris Doty-Humphrey's small fast counter generator in 32 bits: 128 bits of state, passes PractRand.
function sfc32(seed: string): () => number {
  let a = hash32(seed, 1);
  let b = hash32(seed, 2);
  let c = hash32(seed, 3);
  let counter = 1;
  const draw = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) draw();
  return draw;
}

// FNV-1a over UTF-16 units, with a final mix so that close seeds end up far apart.
function hash32(text: string, salt: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)) | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
