// `wire/decode`: request bodies into drafts in the normal form (see `normal-form.ts`), with upstream's answers for what they are
// not. Start with body.ts.
//
// `decodeJsonBody`, `decodeYamlBody` and `decodeValueBody` do all of it for create and update: syntax, kind and version, types,
// strictness. Patches are read with `parseAnyJson`, and what comes of them goes through `toNormalForm`; its UnmarshalError and
// strict faults are bare, to be worded by who knows that it was a patch. Protobuf bodies are values: `decodeValueBody`.
//
// Not here: defaults, validation, conversion between versions. Objects of custom resources are read by `unstructured.ts`, and pruned by
// nobody yet.
//
// Where a real server does otherwise, on purpose:
// - An integer that a double cannot hold and print exactly (beyond 2^53, mostly) is refused: in an int64 field as if it did not
//   fit one, in any JSON with a text of our own. So is a number beyond all doubles.
// - What is kept is at most 500 levels deep, a quantity at most 1,000 characters long.
// - Any JSON (RawExtension) is kept as a value, not as bytes: `1.0` becomes `1`, of repeated keys the last stays.
// - An empty list that is printed even when unset is null at once. There it is empty until it is stored, so that whoever sent it is known as
//   its manager, and a dry run shows it empty.
// - Faults of YAML's syntax are in the words of the library we read it with.
export {
  type BodyOptions,
  type BodyTarget,
  checkKind,
  type DecodedBody,
  decodeJsonBody,
  decodeValueBody,
  decodeYamlBody,
} from "./body.ts";
export {
  decodeDeleteOptions,
  decodeDeleteOptionsValue,
  deleteOptionsKind,
  findDeleteOptionsFault,
  type OptionsFormat,
} from "./delete-options.ts";
export { toPlainJson } from "./exact-values.ts";
export { fromUnstructured } from "./from-unstructured.ts";
export { isGivenEmpty, withGivenEmpty } from "./given-empty.ts";
export { findKindFault } from "./known-kinds.ts";
export { type NormalForm, toNormalForm } from "./normal-form.ts";
export { type AnyJson, type ParsedJson, parseAnyJson, parseJson } from "./parse-json.ts";
export { normalTime } from "./scalars.ts";
export { type FieldValidation, strictDecodingError, strictWarnings } from "./strict.ts";
export { maxDepth, UnmarshalError } from "./unmarshal-error.ts";
export { type JsonDraft, unsetValue } from "./unset-forms.ts";
export { checkTypeMeta, fromUnstructuredBody, typeMetaOfUnstructured } from "./unstructured.ts";
