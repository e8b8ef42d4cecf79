// `wire/decode`: request bodies into drafts in the normal form (see `normal-form.ts`), with upstream's answers for what they are
// not. Start with body.ts.
//
// `decodeJsonBody`, `decodeYamlBody` and `decodeValueBody` do all of it for create and update: syntax, kind and version, types,
// strictness. Patches are read with `parseAnyJson`, and what comes of them goes through `toNormalForm`; its UnmarshalError and
// strict faults are bare, to be worded by who knows that it was a patch. Protobuf bodies are values: `decodeValueBody`.
//
// Not here: defaults, validation, conversion between versions; custom resources, whose schemas are pruned by other rules.
export {
  type BodyOptions,
  type BodyTarget,
  type DecodedBody,
  decodeJsonBody,
  decodeValueBody,
  decodeYamlBody,
} from "./body.ts";
export { decodeDeleteOptions, type OptionsFormat } from "./delete-options.ts";
export { type NormalForm, toNormalForm } from "./normal-form.ts";
export { type AnyJson, type ParsedJson, parseAnyJson, parseJson } from "./parse-json.ts";
export { type FieldValidation, strictDecodingError, strictWarnings } from "./strict.ts";
export { UnmarshalError } from "./unmarshal-error.ts";
export { type JsonDraft, unsetValue } from "./unset-forms.ts";
