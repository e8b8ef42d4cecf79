// Parts of objects as Go prints the server's own structures, which have no tags for JSON: every field, by its Go name, in its order,
// with null for what is absent. Users know this form from faults that show a whole part ("spec.template: Invalid value: {...}").
//
// A row of the table lists a type's fields, separated by spaces: "Name", or "Name=json" where the JSON name is not the same with a
// small first letter; then what stands there: ":s" text, ":i" a number, ":b" a boolean, ":q" a quantity and ":x" a number or text, all
// of which are never absent; ":{}" a map; ":T", ":*T" and ":[]T" another type, by value, by reference, in a list; nothing for
// whatever else may be absent. "+T" stands for the fields of T. A row that begins with "~" is of a type that has tags: its fields
// keep their names, and what is absent is not printed.
import { internalTypes } from "./internal-types.ts";

type JsonRecord = Readonly<Record<string, unknown>>;

interface Field {
  readonly goName: string;
  readonly jsonName: string;
  readonly form: "zero" | "map" | "value" | "reference" | "list" | "plain" | "embedded";
  readonly type: string;
}

interface Layout {
  readonly isTagged: boolean;
  readonly fields: readonly Field[];
}

const zeros = new Map<string, unknown>([
  ["s", ""],
  ["i", 0],
  ["b", false],
  ["q", "0"],
  ["x", 0],
]);

/** `type` is the Go name of the part's type: "PodTemplateSpec". */
export function internalForm(part: unknown, type: string): unknown {
  return part === undefined || part === null ? null : printRecord(part as JsonRecord, type);
}

function printRecord(part: JsonRecord, type: string): JsonRecord {
  const source = type === "PodSpec" ? withHostFields(part) : part;
  const printed: Record<string, unknown> = {};
  const { isTagged, fields } = layoutOf(type);
  for (const field of fields) {
    if (field.form === "embedded") {
      // What is embedded stands among the fields of v1 too, but for metadata, which has a field of its own there.
      const from = field.type === "ObjectMeta" ? ((source["metadata"] ?? {}) as JsonRecord) : source;
      Object.assign(printed, printRecord(from, field.type));
      continue;
    }
    const value = source[field.jsonName];
    if (isTagged && (value === undefined || value === null)) continue;
    printed[field.goName] = printField(value, field);
  }
  return printed;
}

function printField(value: unknown, { form, type }: Field): unknown {
  if (form === "value") return printRecord((value ?? {}) as JsonRecord, type);
  if (value === undefined || value === null) return form === "zero" ? zeros.get(type) : null;
  if (form === "reference") return printRecord(value as JsonRecord, type);
  if (form === "list") return (value as readonly JsonRecord[]).map((item) => printRecord(item, type));
  if (form === "map") return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return value;
}

/** The server keeps these beside the security context's own fields. */
function withHostFields(spec: JsonRecord): JsonRecord {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return { ...spec, securityContext: { ...(spec["securityContext"] as JsonRecord | undefined), ...host } };
}

const layouts = new Map<string, Layout>();

function layoutOf(type: string): Layout {
  let layout = layouts.get(type);
  if (layout === undefined) {
    const row = internalTypes[type] ?? "";
    const isTagged = row.startsWith("~");
    const words = (isTagged ? row.slice(1) : row).split(" ").filter((word) => word !== "");
    layout = { isTagged, fields: words.map(parseField) };
    layouts.set(type, layout);
  }
  return layout;
}

function parseField(word: string): Field {
  if (word.startsWith("+")) return { goName: "", jsonName: "", form: "embedded", type: word.slice(1) };
  const [names = "", what = ""] = word.split(":");
  const [goName = "", jsonName = goName.charAt(0).toLowerCase() + goName.slice(1)] = names.split("=");
  return { goName, jsonName, ...formOf(what) };
}

function formOf(what: string): Pick<Field, "form" | "type"> {
  if (what === "") return { form: "plain", type: "" };
  if (zeros.has(what)) return { form: "zero", type: what };
  if (what === "{}") return { form: "map", type: "" };
  if (what.startsWith("[]")) return { form: "list", type: what.slice(2) };
  return what.startsWith("*") ? { form: "reference", type: what.slice(1) } : { form: "value", type: what };
}
