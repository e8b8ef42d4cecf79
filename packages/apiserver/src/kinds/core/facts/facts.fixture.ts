// Facts about kinds: what a server makes of an object, or why it refuses it. They are asked of the embedded server, which must
// answer as recorded, and of a real kube-apiserver, which recorded them.
import { readdirSync, readFileSync } from "node:fs";
import {
  type ApiResponse,
  collectBytes,
  findResourceOfKind,
  type KubernetesObject,
  noBody,
  parseTime,
  type Query,
  type Resource,
  TimeError,
  type Transport,
} from "@kubeloop/core/api";
import { refusalText } from "../../shared/refusal-text.fixture.ts";

export interface Fact {
  readonly it: string;
  /** What is there before; with a status, that is written too. */
  readonly from?: KubernetesObject;
  /** What is sent: a new object, or with `from` the one to replace it. */
  readonly sent: KubernetesObject;
  /** The subresource it is sent to. */
  readonly through?: string;
  readonly isDryRun?: boolean;
  /** Asks for the row of a table as well. */
  readonly isShown?: boolean;
  readonly answer: FactAnswer;
}

export interface FactAnswer {
  /** Without what is another each time. */
  readonly object?: unknown;
  /** The message of the Status. */
  readonly refused?: string;
  readonly warnings?: readonly string[];
  readonly cells?: readonly unknown[];
}

const folder = new URL("./", import.meta.url);
export const factFiles: readonly string[] = readdirSync(folder).filter((name) => name.endsWith(".facts.json"));
export const factUrl = (file: string) => new URL(file, folder);
export const readFacts = (file: string): readonly Fact[] => JSON.parse(readFileSync(factUrl(file), "utf8"));

/** Facts are asked of servers that do not add to objects what only admission knows. */
export const leftOutPlugins = [
  "ServiceAccount",
  "TaintNodesByCondition",
  "StorageObjectInUseProtection",
  "PersistentVolumeClaimResize",
  "DefaultStorageClass",
  "LimitRanger",
  "ResourceQuota",
  "Priority",
];

const never = new AbortController().signal;

/** What the server says to it, and leaves nothing behind. */
export async function askFact(transport: Transport, { from, sent, ...how }: Fact): Promise<FactAnswer> {
  const ask = asker(transport);
  const path = pathOf(sent);
  const query: Query = how.isDryRun === true ? [["dryRun", "All"]] : [];
  try {
    if (from === undefined) {
      const created = await ask("POST", path.collection, sent, query);
      return answerOf(created, how.isShown === true ? await ask("GET", path.object, undefined, [], true) : undefined);
    }
    await setUp(ask, from);
    const current = await ask("GET", path.object);
    const { uid, resourceVersion } = (current.value as KubernetesObject).metadata;
    const draft = { ...sent, metadata: { ...sent.metadata, uid, resourceVersion } };
    const updated = await ask(
      "PUT",
      how.through === undefined ? path.object : `${path.object}/${how.through}`,
      draft,
      query,
    );
    return answerOf(updated, how.isShown === true ? await ask("GET", path.object, undefined, [], true) : undefined);
  } finally {
    if (how.isDryRun !== true || from !== undefined) await takeAway(ask, path.object);
  }
}

interface Said {
  readonly code: number;
  readonly value: unknown;
  readonly warnings: readonly string[];
}

type Ask = (method: string, path: string, value?: unknown, query?: Query, isTable?: boolean) => Promise<Said>;

function asker(transport: Transport): Ask {
  return async (method, path, value, query = [], isTable = false) => {
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
    return JSON.parse(Buffer.from(await collectBytes(body.bytes, { maxBytes: 1 << 24 })).toString("utf8"));
  return undefined;
}

function warningsOf({ headers }: ApiResponse): readonly string[] {
  const { warning = [] } = headers;
  const all = typeof warning === "string" ? [warning] : warning;
  return all.flatMap((text) =>
    [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => JSON.parse(quoted)),
  );
}

function pathOf({ apiVersion, kind, metadata }: KubernetesObject): {
  readonly collection: string;
  readonly object: string;
} {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const resource = findResourceOfKind({ group, version, kind }) as Resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
  const collection = `${root}${namespace}/${resource.plural}`;
  return { collection, object: `${collection}/${encodeURIComponent(metadata.name ?? "")}` };
}

async function setUp(ask: Ask, object: KubernetesObject): Promise<void> {
  const { collection, object: path } = pathOf(object);
  const created = await ask("POST", collection, object);
  if (created.code !== 201) throw new Error(`the fact has no ground: ${JSON.stringify(created.value)}`);
  const { status } = object as unknown as { readonly status?: unknown };
  if (status === undefined) return;
  const { metadata } = created.value as KubernetesObject;
  const written = await ask("PUT", `${path}/status`, { ...(created.value as KubernetesObject), metadata, status });
  if (written.code !== 200) throw new Error(`the fact has no ground: ${JSON.stringify(written.value)}`);
}

async function takeAway(ask: Ask, path: string): Promise<void> {
  await ask("DELETE", path, undefined, [["gracePeriodSeconds", "0"]]);
  const left = await ask("GET", path);
  if (left.code !== 200) return;
  const object = left.value as KubernetesObject & { readonly spec?: { readonly finalizers?: unknown } };
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  await ask("PUT", path, { ...object, metadata });
  if (object.kind === "Namespace") await ask("PUT", `${path}/finalize`, { ...object, metadata, spec: {} });
}

/** What is said of a resource as a whole is no fact about an object. */
const isDeprecation = (warning: string) => / is deprecated in v1\.\d+\+; use /.test(warning);

function answerOf({ code, value, warnings: all }: Said, table: Said | undefined): FactAnswer {
  const warnings = all.filter((warning) => !isDeprecation(warning));
  const warned = warnings.length === 0 ? {} : { warnings };
  if (code >= 300) return { refused: refusalText(value), ...warned };
  const nowMs = parseTime((value as KubernetesObject).metadata.creationTimestamp as string);
  const object = withoutChance(value, nowMs);
  if (table === undefined) return { object, ...warned };
  const { rows } = table.value as { readonly rows: readonly { readonly cells: readonly unknown[] }[] };
  // Ages are another each time; the time of creation is "0s" ago for a server that has just made it.
  const cells = (rows[0]?.cells ?? []).map((cell) => (/^\d+s$/.test(String(cell)) ? "0s" : withoutNow(cell, nowMs)));
  return { object, ...warned, cells };
}

const chanceFields = new Set(["uid", "creationTimestamp", "resourceVersion", "managedFields"]);

function withoutChance(object: unknown, nowMs: number): unknown {
  const { metadata, ...rest } = object as KubernetesObject & Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !chanceFields.has(name)));
  return withoutNow({ ...rest, metadata: kept }, nowMs);
}

/** Times of about now have no value one could record. */
function withoutNow(value: unknown, nowMs: number): unknown {
  if (typeof value === "string") return isAbout(value, nowMs) ? "<now>" : value;
  if (Array.isArray(value)) return value.map((item) => withoutNow(item, nowMs));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutNow(part, nowMs)]));
}

function isAbout(text: string, nowMs: number): boolean {
  if (!/^\d{4}-\d\d-\d\dT/.test(text)) return false;
  try {
    return Math.abs(parseTime(text) - nowMs) < 30_000;
  } catch (error) {
    if (error instanceof TimeError) return false;
    throw error;
  }
}
