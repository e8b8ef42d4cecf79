// Objects drawn from a schema, in its normal form but for values that make no sense together: the same seed gives the same object.

import { type Random, randomBelow, seededRandom } from "../../base/index.ts";
import type { ObjectSchema, ScalarType, TypeSchema } from "../schema.ts";
import { printMicros, printTime } from "../time.ts";

const hardWords = [
  "",
  "a",
  "kube-system",
  "x".repeat(200),
  "é",
  "日本",
  "😀",
  "\uffee",
  'a"\\',
  "\n",
  "0",
  "__proto__",
];
const ints = [0, 1, 127, 128, 300, 2_147_483_647, -1, -2_147_483_648];
const longs = [...ints, 4_294_967_296, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];

export interface DrawnOptions {
  /** What text is drawn from. Default: what is hard to encode. */
  readonly words?: readonly string[];
  /** What numbers are drawn from. Default: the limits of their types, and what takes more bytes than the one before. */
  readonly numbers?: readonly number[];
  /** How likely a field is to be there, at least. Default: 0. */
  readonly minDensity?: number;
}

export function drawnObject(
  schema: ObjectSchema,
  seed: number,
  { words = hardWords, numbers, minDensity = 0 }: DrawnOptions = {},
): Readonly<Record<string, unknown>> {
  const random = seededRandom(seed);
  const density = minDensity + (1 - minDensity) * random.next();
  return drawObject(schema, { random, density, words, numbers, depth: 0 });
}

interface Drawing {
  readonly random: Random;
  readonly words: readonly string[];
  readonly numbers: readonly number[] | undefined;
  /** How likely a field is to be there; the deeper the less. */
  readonly density: number;
  readonly depth: number;
}

function drawObject(schema: ObjectSchema, drawing: Drawing): Record<string, unknown> {
  const { random, density, depth } = drawing;
  const object: Record<string, unknown> = {};
  for (const [name, slot] of schema.fields) {
    const isKind = schema.kinds.length > 0 && (name === "kind" || name === "apiVersion");
    if (isKind || depth > 8 || random.next() > density * 0.85 ** depth) continue;
    object[name] = drawValue(slot.schema, { ...drawing, depth: depth + 1 });
  }
  return object;
}

function drawValue(schema: TypeSchema, drawing: Drawing): unknown {
  const { random, words } = drawing;
  const some = () => Array.from({ length: 1 + randomBelow(random, 3) });
  switch (schema.type) {
    case "scalar":
      return drawScalar(schema.scalar, drawing);
    case "json":
      return { "f:a": { ".": {} }, list: [1, null, drawOne(words, random)] };
    case "list":
      return some().map(() => drawValue(schema.items.schema, drawing));
    case "map":
      return Object.fromEntries(some().map(() => [drawOne(words, random), drawValue(schema.values.schema, drawing)]));
    case "object":
      return drawObject(schema, drawing);
  }
}

function drawScalar(scalar: ScalarType, { random, words, numbers }: Drawing): unknown {
  switch (scalar) {
    case "string":
      return drawOne(words, random);
    case "bytes":
      // Go writes empty bytes, and prints them only where they are not `omitempty`.
      return Buffer.from(`${drawOne(words, random)}.`).toString("base64");
    case "boolean":
      return random.next() < 0.5;
    case "int32":
    case "integer":
      return drawOne(numbers ?? ints, random);
    case "int64":
      return drawOne(numbers ?? longs, random);
    case "number":
      return drawOne([0, 1.5, -2.25, 1e21, 5e-324], random);
    case "quantity":
      return drawOne(["0", "1", "100m", "1Gi", "2500k", "1e3"], random);
    case "int-or-string":
      return drawOne([0, 80, -1, "http", "25%", ""], random);
    case "time":
      return printTime(randomBelow(random, 4e12));
    case "micro-time":
      return printMicros(BigInt(randomBelow(random, 4e15)));
    case "duration":
      return drawOne(["0s", "1h0m0s", "1.5s", "-2m0s"], random);
  }
}

function drawOne<T>(choices: readonly T[], random: Random): T {
  return choices[randomBelow(random, choices.length)] as T;
}
