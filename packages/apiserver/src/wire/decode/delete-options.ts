// The body of a DELETE. It may say that it is DeleteOptions of any group and version, unknown fields in it are ignored, and what
// is wrong with it is told bare, as a 400.
import { type GroupVersionKind, newBadRequest, printGroupVersion, quote, schemaOfKind } from "@kubeloop/core/api";
import { type BodySource, jsonSource, yamlSource } from "./body-source.ts";
import { readTypeMeta } from "./type-meta.ts";
import { UnmarshalError } from "./unmarshal-error.ts";
import type { JsonDraft } from "./unset-forms.ts";

export type OptionsFormat = "json" | "yaml";

const expected: GroupVersionKind = { group: "", version: "v1", kind: "DeleteOptions" };

/** Throws a StatusError. */
export async function decodeDeleteOptions(bytes: Uint8Array, format: OptionsFormat): Promise<JsonDraft> {
  try {
    const source = await openSource(bytes, format);
    checkKind(readTypeMeta(source.value, expected));
    const schema = schemaOfKind({ apiVersion: "v1", kind: expected.kind });
    return schema === undefined ? {} : source.decode(schema).object;
  } catch (error) {
    throw error instanceof UnmarshalError ? newBadRequest(error.message) : error;
  }
}

async function openSource(bytes: Uint8Array, format: OptionsFormat): Promise<BodySource> {
  if (format === "json") return jsonSource(bytes);
  const { parseYaml } = await import("./yaml.ts");
  return yamlSource(parseYaml(bytes));
}

const otherOptions = ["CreateOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions"];

function checkKind(said: GroupVersionKind): void {
  if (said.kind === expected.kind) return;
  if (otherOptions.includes(said.kind)) {
    throw new UnmarshalError(`converting (v1.${said.kind}) to (v1.DeleteOptions): unknown conversion`);
  }
  const [kind, version] = [quote(said.kind), quote(printGroupVersion(said))];
  throw new UnmarshalError(
    `no kind ${kind} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`,
  );
}
