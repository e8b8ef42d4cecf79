// What is wrong with a value under a schema of a custom resource, in upstream's words. Every fault says where it is by a path inside the
// value: `a.b[0]`, empty for the value itself. Rules (x-kubernetes-validations) are not evaluated: that comes with CEL.
import { quote } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { isOneSchema, type SchemaNode } from "./schema-node.ts";
import { hasFormat, isKnownFormat } from "./value-formats.ts";

export type ValueFault =
  | { readonly kind: "required"; readonly at: string }
  | {
      readonly kind: "not supported";
      readonly at: string;
      readonly value: unknown;
      readonly supported: readonly string[];
    }
  | { readonly kind: "too long"; readonly at: string; readonly max: number }
  | { readonly kind: "too many"; readonly at: string; readonly count: number; readonly max: number }
  | { readonly kind: "wrong type" | "invalid"; readonly at: string; readonly value: unknown; readonly why: string };

/** Faults, and how much was right: of alternatives that all fail, upstream reports the one that got furthest. */
interface Verdict {
  readonly faults: readonly ValueFault[];
  readonly matches: number;
}

type Fields = Readonly<Record<string, unknown>>;

export const findValueFaults = (value: unknown, schema: SchemaNode): readonly ValueFault[] =>
  judge(value, schema, "").faults;

function judge(value: unknown, schema: SchemaNode, at: string): Verdict {
  const verdicts = [judgeType(value, schema, at)];
  if (value !== null) {
    verdicts.push(judgeAlternatives(value, schema, at));
    if (typeof value === "string") verdicts.push(ofFaults(textFaults(value, schema, at)));
    if (typeof value === "number") verdicts.push(ofFaults(numberFaults(value, schema, at)));
    if (Array.isArray(value)) verdicts.push(judgeList(value, schema, at));
  }
  verdicts.push(ofFaults(enumFaults(value, schema, at)));
  if (isFields(value)) verdicts.push(judgeFields(value, schema, at));
  return merge(verdicts);
}

const ofFaults = (faults: readonly ValueFault[]): Verdict => ({ faults, matches: faults.length === 0 ? 1 : 0 });

const merge = (verdicts: readonly Verdict[]): Verdict => ({
  faults: verdicts.flatMap(({ faults }) => faults),
  matches: verdicts.reduce((sum, { matches }) => sum + matches, 1),
});

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** A number or text (x-kubernetes-int-or-string) has no type of its own, and may be anything here, as upstream has it. */
function judgeType(value: unknown, { type, isNullable }: SchemaNode, at: string): Verdict {
  const found = typeOf(value);
  const isRight =
    type === "" || type === found || (value === null && isNullable) || (found === "integer" && type === "number");
  return ofFaults(isRight ? [] : [wrongType(at, type, found)]);
}

const wrongType = (at: string, wanted: string, found: string): ValueFault => ({
  kind: "wrong type",
  at,
  value: found,
  why: `${at} in body must be of type ${wanted}: ${quote(found)}`,
});

const invalid = (at: string, value: unknown, why: string): ValueFault => ({ kind: "invalid", at, value, why });

function judgeAlternatives(value: unknown, { anyOf, oneOf, allOf, not }: SchemaNode, at: string): Verdict {
  const verdicts: Verdict[] = [];
  const add = (why: string) => verdicts.push(ofFaults([invalid("", "", `${quote(at)} ${why}`)]));
  const tried = (schemas: readonly SchemaNode[]) => schemas.map((schema) => judge(value, schema, at));
  const isRight = ({ faults }: Verdict) => faults.length === 0;
  if (anyOf.length > 0) {
    const some = tried(anyOf);
    if (!some.some(isRight)) add("must validate at least one schema (anyOf)");
    verdicts.push(some.find(isRight) ?? furthest(some));
  }
  if (oneOf.length > 0) {
    const one = tried(oneOf);
    const right = one.filter(isRight);
    if (right.length !== 1) {
      const found = right.length === 0 ? "Found none valid" : `Found ${right.length} valid alternatives`;
      add(`must validate one and only one schema (oneOf). ${found}`);
    }
    verdicts.push(right[0] ?? furthest(one));
  }
  const all = tried(allOf);
  verdicts.push(...all);
  if (!all.every(isRight)) {
    add(`must validate all the schemas (allOf)${all.some(isRight) ? "" : ". None validated"}`);
  }
  if (not !== undefined && isRight(judge(value, not, at))) add("must not validate the schema (not)");
  return merge(verdicts);
}

const furthest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((best, each) => (each.matches > best.matches ? each : best));

/** Of the length and the pattern the first fault only. */
function textFaults(value: string, { limits, pattern, format }: SchemaNode, at: string): readonly ValueFault[] {
  const faults: ValueFault[] = [];
  const { maxLength, minLength } = limits;
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) faults.push({ kind: "too long", at, max: maxLength });
  else if (minLength !== undefined && length < minLength)
    faults.push(invalid(at, value, `${at} in body should be at least ${minLength} chars long`));
  else if (pattern !== "" && !hasPattern(pattern, value))
    faults.push(invalid(at, value, `${at} in body should match '${pattern}'`));
  if (isKnownFormat(format) && !hasFormat(format, value)) faults.push(wrongType(at, format, value));
  return faults;
}

/**
 * Patterns are Go's; whether one can be read at all has been checked before. JavaScript's engine tries alternatives one after the other, Go's does
 * not: a pattern that could take it long is not tried, and its text passes.
 */
function hasPattern(pattern: string, text: string): boolean {
  if (mayTakeLong(pattern, text)) return true;
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = (flags === null ? pattern : pattern.slice(flags[0].length))
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\z", "$(?!\\n)")
    .replaceAll("\\A", "^");
  try {
    return new RegExp(body, `${flags?.[1] ?? ""}u`).test(text);
  } catch {
    try {
      return new RegExp(body, flags?.[1] ?? "").test(text);
    } catch {
      return true;
    }
  }
}

/** A repeated group that repeats or chooses inside takes exponential time, several repetitions a power of the length. */
function mayTakeLong(pattern: string, text: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "x").replaceAll(/\[\^?\]?[^\]]*\]/g, "x");
  const hasChoiceRepeated = /\([^()]*[*+{|?][^()]*\)[*+{]|\)\)[*+{]|\)[*+?{][^()]*\)[*+{]/.test(bare);
  const repetitions = bare.match(/[*+]|\{\d*,\d*\}/g)?.length ?? 0;
  return hasChoiceRepeated || text.length ** repetitions > 1e7;
}

function numberFaults(value: number, schema: SchemaNode, at: string): readonly ValueFault[] {
  const { multipleOf, minimum, maximum, isMinimumExclusive, isMaximumExclusive } = schema.limits;
  const faults = rangeFaults("Checked", value, schema, at);
  if (multipleOf !== undefined) {
    faults.push(...rangeFaults("MultipleOf", multipleOf, schema, at));
    if (!isMultiple(value, multipleOf))
      faults.push(invalid(at, value, `${at} in body should be a multiple of ${multipleOf}`));
  }
  if (minimum !== undefined) {
    faults.push(...rangeFaults("Minimum boundary", minimum, schema, at));
    const than = isMinimumExclusive ? "greater than" : "greater than or equal to";
    if (isMinimumExclusive ? value <= minimum : value < minimum)
      faults.push(invalid(at, value, `${at} in body should be ${than} ${minimum}`));
  }
  if (maximum !== undefined) {
    faults.push(...rangeFaults("Maximum boundary", maximum, schema, at));
    const than = isMaximumExclusive ? "less than" : "less than or equal to";
    if (isMaximumExclusive ? value >= maximum : value > maximum)
      faults.push(invalid(at, value, `${at} in body should be ${than} ${maximum}`));
  }
  return faults;
}

/** Of a number, or a limit of it, that its Go type could not hold. */
function rangeFaults(what: string, value: number, { type, format }: SchemaNode, at: string): ValueFault[] {
  if (isInRange(value, type, format)) return [];
  const wanted = format === "" ? `${type} (default format)` : `${type} with format ${format}`;
  return [invalid("", "", `${what} value must be of type ${wanted} in ${at}`)];
}

function isInRange(value: number, type: string, format: string): boolean {
  if (type !== "integer") return (format !== "float" && format !== "float32") || Number.isFinite(Math.fround(value));
  const bits = format === "int32" ? 31 : 63;
  return Number.isInteger(value) && value < 2 ** bits && value >= -(2 ** bits);
}

const isMultiple = (value: number, factor: number) =>
  factor <= 0 || Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);

function judgeList(list: readonly unknown[], { items, limits }: SchemaNode, at: string): Verdict {
  const verdicts = isOneSchema(items) ? list.map((item, i) => judge(item, items, `${at}[${i}]`)) : [];
  const faults: ValueFault[] = [];
  const { minItems, maxItems } = limits;
  if (minItems !== undefined && list.length < minItems)
    faults.push(invalid(at, list.length, `${at} in body should have at least ${minItems} items`));
  if (maxItems !== undefined && list.length > maxItems)
    faults.push({ kind: "too many", at, count: list.length, max: maxItems });
  return merge([...verdicts, ofFaults(faults)]);
}

function enumFaults(value: unknown, { enumeration }: SchemaNode, at: string): readonly ValueFault[] {
  if (enumeration.length === 0 || enumeration.some((allowed) => deepEqual(allowed, value))) return [];
  const supported = enumeration.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return [{ kind: "not supported", at, value, supported }];
}

function judgeFields(fields: Fields, schema: SchemaNode, at: string): Verdict {
  const { properties, additionalProperties, required, limits } = schema;
  const names = Object.keys(fields);
  const faults: ValueFault[] = [];
  const { minProperties, maxProperties } = limits;
  if (minProperties !== undefined && names.length < minProperties)
    faults.push(invalid(at, names.length, `${at} in body should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && names.length > maxProperties)
    faults.push({ kind: "too many", at, count: names.length, max: maxProperties });
  const verdicts: Verdict[] = [];
  for (const name of names) {
    if (properties.has(name)) continue;
    if (additionalProperties === false) faults.push(invalid(at, name, `${at}.${name} in body is a forbidden property`));
    else if (typeof additionalProperties === "object")
      verdicts.push(judge(fields[name], additionalProperties, `${at}.${name}`));
  }
  for (const [name, property] of properties) {
    if (Object.hasOwn(fields, name)) verdicts.push(judge(fields[name], property, at === "" ? name : `${at}.${name}`));
  }
  for (const name of required) {
    if (!Object.hasOwn(fields, name)) faults.push({ kind: "required", at: `${at}.${name}` });
  }
  return merge([...verdicts, ofFaults(faults)]);
}
