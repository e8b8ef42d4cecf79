// Facts about pods and all that makes pods: what a server makes of an object, or why it refuses it. They are asked of the embedded
// server, which must answer as recorded, and of a real kube-apiserver 1.36, which recorded them.
//
// A row is short: what is sent is a base object with a merge patch, and what came back is reported as a merge patch of what was sent.
import { readdirSync, readFileSync } from "node:fs";
import {
  type ApiResponse,
  applyMergePatch,
  collectBytes,
  createMergePatch,
  findResourceOfKind,
  type KubernetesObject,
  noBody,
  type Query,
  type Transport,
} from "@kubeloop/core/api";
import { refusalText } from "../../shared/refusal-text.fixture.ts";

export interface WorkloadFact {
  readonly it: string;
  /** A kind of `bases.json`; the file's own unless given. */
  readonly base?: string;
  /** Of the base: what is there before. With a status, that is written too. Without it, something new is sent. */
  readonly from?: unknown;
  /** Of the base, or of what is there: what is sent. */
  readonly with: unknown;
  /** The subresource it is sent to. */
  readonly through?: string;
  /** Asks for the row of a table as well. */
  readonly isShown?: boolean;
  readonly answer?: WorkloadAnswer;
}

export interface WorkloadAnswer {
  /** What the server added and changed. */
  readonly becomes?: unknown;
  /** The message of the Status. */
  readonly refused?: string;
  readonly warnings?: readonly string[];
  readonly cells?: readonly unknown[];
}

export interface FactFile {
  readonly base: string;
  readonly facts: readonly WorkloadFact[];
}

const folder = new URL("./", import.meta.url);
export const factFiles: readonly string[] = readdirSync(folder).filter((name) => name.endsWith(".facts.json"));
export const factUrl = (file: string) => new URL(file, folder);
export const readFacts = (file: string): FactFile => JSON.parse(readFileSync(factUrl(file), "utf8"));

const bases: Readonly<Record<string, KubernetesObject>> = JSON.parse(readFileSync(factUrl("bases.json"), "utf8"));

/** Facts are asked of servers that do not add to objects what only admission knows. */
export const leftOutPlugins = ["ServiceAccount", "Priority", "DefaultTolerationSeconds", "RuntimeClass"];

const never = new AbortController().signal;

/** What the server says to it; leaves nothing behind. */
export async function askFact(transport: Transport, fact: WorkloadFact, fileBase: string): Promise<WorkloadAnswer> {
  const base = bases[fact.base ?? fileBase] as KubernetesObject;
  const ask = asker(transport);
  const path = pathOf(base);
  try {
    const { sent, said } = fact.from === undefined ? await create(ask, base, fact) : await replace(ask, base, fact);
    const table = fact.isShown === true ? await ask("GET", path.object, undefined, { isTable: true }) : undefined;
    return withoutChance(answerOf(sent, said, table)) as WorkloadAnswer;
  } finally {
    const query: Query = [
      ["propagationPolicy", "Background"],
      ["gracePeriodSeconds", "0"],
    ];
    await ask("DELETE", path.object, undefined, { query });
  }
}

interface Exchange {
  readonly sent: KubernetesObject;
  readonly said: Said;
}

async function create(ask: Ask, base: KubernetesObject, fact: WorkloadFact): Promise<Exchange> {
  const sent = patched(base, fact.with);
  return { sent, said: await ask("POST", pathOf(base).collection, sent) };
}

async function replace(ask: Ask, base: KubernetesObject, fact: WorkloadFact): Promise<Exchange> {
  const { collection, object: path } = pathOf(base);
  const before = patched(base, fact.from);
  const created = await ask("POST", collection, before);
  if (created.code !== 201) throw new Error(`the fact has no ground: ${JSON.stringify(created.value)}`);
  const { status } = before as unknown as { readonly status?: unknown };
  if (status !== undefined) {
    const written = await ask("PUT", `${path}/status`, patched(created.value as KubernetesObject, { status }));
    if (written.code !== 200) throw new Error(`the fact has no ground: ${JSON.stringify(written.value)}`);
  }
  const current = await ask("GET", path);
  const sent = patched(current.value as KubernetesObject, fact.with);
  return { sent, said: await ask("PUT", fact.through === undefined ? path : `${path}/${fact.through}`, sent) };
}

const patched = (object: KubernetesObject, patch: unknown) => applyMergePatch(object, patch) as KubernetesObject;

interface Said {
  readonly code: number;
  readonly value: unknown;
  readonly warnings: readonly string[];
}

interface AskOptions {
  readonly isTable?: boolean;
  readonly query?: Query;
}

type Ask = (method: string, path: string, value?: unknown, options?: AskOptions) => Promise<Said>;

function asker(transport: Transport): Ask {
  return async (method, path, value, { isTable = false, query = [] } = {}) => {
    const body = value === undefined ? noBody : ({ kind: "value", value } as const);
    const accept = isTable ? "application/json;as=Table;v=v1;g=meta.k8s.io" : "application/json";
    const headers = { accept, "content-type": "application/json", "user-agent": "facts/1" };
    await using response = await transport({ method, path, query, headers, body, prefers: "values" }, never);
    return { code: response.status, value: await bodyOf(response), warnings: warningsOf(response) };
  };
}

async function bodyOf({ body }: ApiResponse): Promise<unknown> {
  if (body.kind === "value") return body.value;
  if (body.kind === "bytes")
    return JSON.parse(Buffer.from(await collectBytes(body.bytes, { maxBytes: 2 ** 22 })).toString("utf8"));
  return undefined;
}

function warningsOf({ headers }: ApiResponse): readonly string[] {
  const { warning = [] } = headers;
  const all = typeof warning === "string" ? [warning] : warning;
  return all.flatMap((text) =>
    [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => JSON.parse(quoted)),
  );
}

function pathOf({ apiVersion, kind, metadata }: KubernetesObject) {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const plural = findResourceOfKind({ group, version, kind })?.plural;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${root}/namespaces/default/${plural}`;
  return { collection, object: `${collection}/${metadata.name}` };
}

const chanceFields = ["uid", "creationTimestamp", "resourceVersion", "managedFields", "namespace"];

function answerOf(sent: KubernetesObject, { code, value, warnings }: Said, table: Said | undefined): WorkloadAnswer {
  const warned = warnings.length === 0 ? {} : { warnings };
  if (code >= 300) return { refused: refusalText(value), ...warned };
  const becomes = createMergePatch(stripped(sent), stripped(value as KubernetesObject));
  if (table === undefined) return { becomes, ...warned };
  const { rows } = table.value as { readonly rows: readonly { readonly cells: readonly unknown[] }[] };
  return { becomes, ...warned, cells: rows[0]?.cells ?? [] };
}

function stripped(object: KubernetesObject) {
  const metadata = Object.entries(object.metadata).filter(([name]) => !chanceFields.includes(name));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

/** Uids and times of now are others each time; what has just been made is seconds old. */
function withoutChance(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
    return text.replace(/^\d+s$/, "<age>").replace(/^20[23]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "<now>");
  }
  if (Array.isArray(value)) return value.map(withoutChance);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [withoutChance(name), withoutChance(part)] as const)
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
