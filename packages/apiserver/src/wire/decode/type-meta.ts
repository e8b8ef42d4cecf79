// What a body says it is: `kind` and `apiVersion`, read before anything else and, unlike all other fields, whatever the case of
// their letters. What it does not say is taken from the request's path.
import { type GroupVersion, type GroupVersionKind, parseGroupVersion } from "@kubeloop/core/api";
import { OrderedEntries } from "./exact-values.ts";
import { wordFor } from "./fault-log.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

/** How Go prints the type it reads them into. */
const goType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Throws an UnmarshalError for a body that is no object, or says what nobody can read. */
export function readTypeMeta(value: unknown, expected: GroupVersionKind): GroupVersionKind {
  const said = { kind: "", apiVersion: "" };
  let fault: string | undefined;
  const read = (key: string, held: unknown): void => {
    const field = fieldOf(key);
    if (field === undefined || held === null || held === undefined) return;
    if (typeof held === "string") said[field] = held;
    else fault ??= `json: cannot unmarshal ${wordFor(held)} into Go struct field .${field} of type string`;
  };
  if (value instanceof OrderedEntries) {
    for (const [key, held] of value.entries) read(key, held);
  } else if (typeof value === "object" && value !== null && wordFor(value) === "object") {
    for (const key in value) read(key, (value as { readonly [key: string]: unknown })[key]);
  } else if (value !== null && value !== undefined) {
    throw unreadable(`json: cannot unmarshal ${wordFor(value)} into Go value of type ${goType}`);
  }
  if (fault !== undefined) throw unreadable(fault);
  return withDefaults({ ...splitVersion(said.apiVersion), kind: said.kind }, expected);
}

export function unreadable(fault: string): UnmarshalError {
  return new UnmarshalError(`couldn't get version/kind; json parse error: ${fault}`);
}

/** Go folds letters beyond ASCII too: ſ is an s, K (a Kelvin) is a k. */
function fieldOf(key: string): "kind" | "apiVersion" | undefined {
  if (key === "kind" || key === "apiVersion") return key;
  if (key.length !== 4 && key.length !== 10) return undefined;
  const folded = key.toLowerCase().replace("ſ", "s");
  if (folded === "kind") return "kind";
  return folded === "apiversion" ? "apiVersion" : undefined;
}

function splitVersion(apiVersion: string): GroupVersion {
  try {
    return parseGroupVersion(apiVersion);
  } catch (error) {
    throw new UnmarshalError(error instanceof Error ? error.message : String(error));
  }
}

function withDefaults(said: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
  const kind = said.kind === "" ? expected.kind : said.kind;
  const isOther = said.version !== "" || (said.group !== "" && said.group !== expected.group);
  const { group, version } = isOther ? said : expected;
  return { group, version, kind };
}
