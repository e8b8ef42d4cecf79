// What a scalar of YAML stands for, as the reader behind kubectl and the API server has it, which is neither YAML 1.1 nor 1.2: `yes`
// and `on` are booleans, `0o10` and `010` are 8, but `22:22` and `2001-12-14` are strings.
import { ExactNumber } from "./exact-values.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

const words = new Map<string, boolean | number | null>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

export type YamlScalar = string | number | boolean | null | ExactNumber;

const tagPrefix = "tag:yaml.org,2002:";

export interface ScalarSource {
  readonly text: string;
  /** Without quotes, and not a block. */
  readonly isPlain: boolean;
  /** In full; undefined where there is none. */
  readonly tag: string | undefined;
}

/** Throws an UnmarshalError if the text is not what its tag says. */
export function resolveScalar({ text, isPlain, tag }: ScalarSource): YamlScalar {
  if (tag === undefined || tag === "!") return isPlain && tag === undefined ? resolvePlain(text) : text;
  if (!tag.startsWith(tagPrefix)) return text;
  const type = tag.slice(tagPrefix.length);
  if (type === "binary") return Buffer.from(text, "base64").toString("utf8");
  if (!["bool", "int", "float", "null"].includes(type)) return text;
  const value = resolvePlain(text);
  const found = typeOf(value);
  if (found === type || (type === "float" && found === "int")) return value;
  throw new UnmarshalError(`yaml: cannot decode !!${found} \`${text}\` as a !!${type}`);
}

function typeOf(value: YamlScalar): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  return value instanceof ExactNumber || Number.isInteger(value) ? "int" : "float";
}

function resolvePlain(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  return parseInteger(plain) ?? parseFloatText(plain) ?? text;
}

/** 64 bits, with Go's prefixes; beyond them it may still be a float. */
function parseInteger(text: string): number | ExactNumber | undefined {
  const [, sign = "", digits = ""] =
    /^([-+]?)(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/.exec(text) ?? [];
  if (digits === "") return undefined;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === "-" ? -magnitude : magnitude;
  if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : new ExactNumber(value.toString());
}

function parseFloatText(text: string): number | undefined {
  if (!/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
