// A body that has been parsed, whatever it was written in, waiting to be told its kind.
//
// For JSON the quick way is one walk over what JSON.parse gave. If that walk finds anything wrong, or fewer keys than the text
// has, it is done again on values that tell all: Go's messages depend on the order and spelling of things.
import type { ObjectSchema } from "@kubeloop/core/api";
import { toPlainJson } from "./exact-values.ts";
import { type NormalForm, toNormalForm } from "./normal-form.ts";
import { type AnyJson, anyJsonOf, type ParsedJson, parseJson } from "./parse-json.ts";
import { yamlKeysFault } from "./strict.ts";
import { unreadable } from "./type-meta.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import type { ParsedYaml } from "./yaml.ts";

export interface BodySource {
  /** In which `kind` and `apiVersion` are looked for. */
  readonly value: unknown;
  /** Throws an UnmarshalError. */
  decode(schema: ObjectSchema): Pick<NormalForm, "object" | "strictFaults">;
  /** As it was sent, and the caller's own: for kinds without a Go type. Throws an UnmarshalError. */
  plain(): AnyJson;
}

/** Throws an UnmarshalError for what is no JSON. */
export function jsonSource(bytes: Uint8Array): BodySource {
  const parsed = parseOrUnreadable(bytes);
  return {
    value: parsed.value,
    decode: (schema) => decodeQuickly(parsed, schema) ?? toNormalForm(parsed.exact(), schema),
    plain: () => anyJsonOf(parsed),
  };
}

export function yamlSource({ value, repeatedKeys }: ParsedYaml): BodySource {
  const decode = (schema: ObjectSchema) => {
    const { object, strictFaults } = toNormalForm(value, schema);
    const faults = repeatedKeys.length === 0 ? strictFaults : [yamlKeysFault(repeatedKeys), ...strictFaults];
    return { object, strictFaults: faults };
  };
  const plain = () => ({
    value: toPlainJson(value),
    strictFaults: repeatedKeys.length === 0 ? [] : [yamlKeysFault(repeatedKeys)],
  });
  return { value, decode, plain };
}

/** A value made in this process. */
export function valueSource(value: unknown): BodySource {
  return {
    value,
    decode: (schema) => toNormalForm(value, schema),
    plain: () => ({ value: toPlainJson(value), strictFaults: [] }),
  };
}

function parseOrUnreadable(bytes: Uint8Array): ParsedJson {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof UnmarshalError ? unreadable(error.message) : error;
  }
}

/** Undefined if it takes a second look. */
function decodeQuickly({ value, keyCount }: ParsedJson, schema: ObjectSchema): NormalForm | undefined {
  if (keyCount === undefined) return undefined;
  try {
    const found = toNormalForm(value, schema, { isOwned: true });
    const isPlain = found.keyCount === keyCount && !found.hasListedNumbers && found.strictFaults.length === 0;
    return isPlain ? found : undefined;
  } catch (error) {
    if (error instanceof UnmarshalError) return undefined;
    throw error;
  }
}
