// A value that stands for an object, as a draft: in the normal form of its kind, defaulted, and in the version that is stored.
import { type KubernetesObject, newBadRequest, quote } from "@kubeloop/core/api";
import { inKeyOrder } from "../../go-prose/print-patched.ts";
import type { Draft } from "../../kinds/kind-rules.ts";
import {
  checkTypeMeta,
  fromUnstructuredBody,
  toNormalForm,
  toPlainJson,
  typeMetaOfUnstructured,
  UnmarshalError,
  withGivenEmpty,
} from "../../wire/decode/index.ts";
import type { KindCodec } from "../../wire/kind-codec.ts";
import { convertedToStored } from "../../wire/version-conversion.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WriteContext } from "./write-context.ts";

type AnyDraft = Draft<KubernetesObject>;

export interface DecodedValue {
  readonly draft: AnyDraft;
  readonly strictFaults: readonly string[];
}

/** A value of the resource's kind, in the version that is stored. Throws 400. */
export async function decodeValue(context: Pick<WriteContext, "served" | "signal">, value: unknown): Promise<AnyDraft> {
  return toStored(context, decodePlain(value, context.served.codec).draft);
}

export function decodePlain(value: unknown, codec: KindCodec): DecodedValue {
  const { schema, kind, apiVersion } = codec;
  try {
    if (codec.isUnstructured) return decodeUnstructured(value, codec);
    if (schema === undefined)
      throw newBadRequest(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
    const { object, strictFaults } = toNormalForm(value, schema);
    const draft = withGivenEmpty({ ...object, kind, apiVersion }, object) as unknown as AnyDraft;
    return { draft, strictFaults };
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(error.message);
    throw error;
  }
}

function decodeUnstructured(value: unknown, codec: KindCodec): DecodedValue {
  const plain = toPlainJson(value);
  typeMetaOfUnstructured(plain, () => JSON.stringify(inKeyOrder(plain as KubernetesObject)));
  const { object, strictFaults } = fromUnstructuredBody({ value: plain, strictFaults: [] });
  checkTypeMeta(object, codec);
  return { draft: object as unknown as AnyDraft, strictFaults };
}

/** In the version that is stored, defaulted. A promise only where the conversion answers later. */
export function toStored(
  { served, signal }: Pick<WriteContext, "served" | "signal">,
  draft: AnyDraft,
): AnyDraft | Promise<AnyDraft> {
  const { version, conversion, storedCodec } = served;
  version?.defaults?.(draft);
  const stored = convertedToStored(conversion, draft, { storedVersion: storedCodec.apiVersion, signal });
  return stored instanceof Promise ? stored.then((each) => defaulted(each, served)) : defaulted(stored, served);
}

function defaulted(draft: AnyDraft, { rules }: ServedResource): AnyDraft {
  rules.defaults?.(draft);
  return draft;
}

const emptyObjects = new WeakMap<KindCodec, KubernetesObject>();

/** An object of the kind that holds nothing, as a server prints it. */
export function emptyObject(codec: KindCodec): KubernetesObject {
  let empty = emptyObjects.get(codec);
  if (empty === undefined) {
    const { kind, apiVersion } = codec;
    empty = decodePlain({ kind, apiVersion }, codec).draft as KubernetesObject;
    emptyObjects.set(codec, empty);
  }
  return empty;
}
