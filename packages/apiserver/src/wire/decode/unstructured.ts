// Objects of kinds without a Go type (custom resources): whatever JSON was sent, but for three fields. `kind` and `apiVersion` must be there and
// be those of the resource, and `metadata` has the form it has in every kind. Upstream: unstructuredSchemaCoercer and customResourceValidator.
//
// Not here: pruning and defaults by the schema of a definition, which are for whoever serves the definition.
import {
  type Fault,
  fieldPath,
  type GroupVersion,
  invalidFault,
  newInvalid,
  parseGroupVersion,
} from "@kubeloop/core/api";
import type { KindCodec } from "../kind-codec.ts";
import { objectMetaSchema } from "../meta-kinds.ts";
import { toNormalForm } from "./normal-form.ts";
import type { AnyJson } from "./parse-json.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import type { JsonDraft } from "./unset-forms.ts";

export interface UnstructuredObject {
  /** `kind`, `apiVersion` and `metadata` first. */
  readonly object: JsonDraft;
  readonly strictFaults: readonly string[];
}

/** What the object itself says it is, in these very letters. Throws an UnmarshalError with the whole object where it says no kind. */
export function typeMetaOfUnstructured(value: unknown, print: () => string): { kind: string; apiVersion: string } {
  const fields = isFields(value) ? value : {};
  const [kind, apiVersion] = [fields["kind"], fields["apiVersion"]].map((each) =>
    typeof each === "string" ? each : "",
  );
  if (kind === undefined || kind === "") throw new UnmarshalError(`Object 'Kind' is missing in '${print()}'`);
  return { kind, apiVersion: apiVersion ?? "" };
}

/** Empty where it can be none, as upstream has it. */
export function versionOf(apiVersion: string): GroupVersion {
  try {
    return parseGroupVersion(apiVersion);
  } catch {
    return { group: "", version: "" };
  }
}

/** Throws an UnmarshalError for metadata that is none. */
export function fromUnstructuredBody({ value, strictFaults }: AnyJson): UnstructuredObject {
  const { kind, apiVersion, metadata = {}, ...rest } = (isFields(value) ? value : {}) as JsonDraft;
  const schema = objectMetaSchema();
  const meta = schema === undefined ? undefined : toNormalForm(metadata, schema);
  const unknown = (meta?.strictFaults ?? []).map((fault) => fault.replace(/ field "/, ' field "metadata.'));
  return {
    object: { kind, apiVersion, metadata: meta?.object ?? metadata, ...rest },
    strictFaults: [...strictFaults, ...unknown.filter((fault) => !strictFaults.includes(fault))],
  };
}

/** Throws 422 where the object is not of this kind and version. */
export function checkTypeMeta({ kind, apiVersion, metadata }: JsonDraft, target: KindCodec): void {
  const faults: Fault[] = [];
  if (kind !== target.kind) faults.push(invalidFault(fieldPath("kind"), kind ?? "", `must be ${target.kind}`));
  if (apiVersion !== target.apiVersion) {
    faults.push(invalidFault(fieldPath("apiVersion"), apiVersion ?? "", `must be ${target.apiVersion}`));
  }
  if (faults.length === 0) return;
  const { name } = metadata as { readonly name?: string };
  // Upstream names the kind that the object says it is.
  const { group } = versionOf(String(apiVersion ?? ""));
  throw newInvalid({ group, kind: String(kind) }, name ?? "", { faults });
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
