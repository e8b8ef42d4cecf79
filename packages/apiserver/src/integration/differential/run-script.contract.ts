// Sends a script to a server through its transport and keeps what it answered.
import { collectBytes, type HttpHeaders, headerValue, noBody, type Transport } from "@kubeloop/core/api";
import { systemClock } from "@kubeloop/core/base";
import { parse } from "yaml";
import type { Answered, Scene, SeenInCache, Step } from "./request-script.contract.ts";

export interface RunOptions {
  /** Whether each namespace gets the account that pods run as, which ServiceAccount admission wants. Nobody else makes it here. */
  readonly withAccounts?: boolean;
}

/** By "scene: title". */
export async function runScenes(
  transport: Transport,
  scenes: readonly Scene[],
  signal: AbortSignal,
  { withAccounts = false }: RunOptions = {},
): Promise<ReadonlyMap<string, Answered & { readonly namespace: string }>> {
  const all = new Map<string, Answered & { readonly namespace: string }>();
  for (const [number, { name, steps }] of scenes.entries()) {
    const namespace = `diff-${number}`;
    const create = { kind: "Namespace", apiVersion: "v1", metadata: { name: namespace } };
    await send(transport, { title: "", method: "POST", path: "/api/v1/namespaces", body: create }, namespace, signal);
    if (withAccounts) await makeAccount(transport, namespace, signal);
    const earlier = new Map<string, Answered>();
    for (const next of steps) {
      const step = typeof next === "function" ? next((title) => known(earlier, title)) : next;
      if (earlier.has(step.title)) throw new Error(`two steps of ${name} are called ${step.title}`);
      const answer = await send(transport, step, namespace, signal);
      if (step.seen !== undefined) await untilSeen(transport, step.seen, namespace, signal);
      earlier.set(step.title, answer);
      all.set(`${name}: ${step.title}`, { ...answer, namespace });
    }
  }
  return all;
}

/** Each look is a request, so that a real server has tens of seconds. */
const mostLooks = 10_000;

async function untilSeen(
  transport: Transport,
  { probe, isShown }: SeenInCache,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  for (let look = 0; look < mostLooks; look++) {
    if (isShown(await send(transport, probe, namespace, signal))) return;
    await systemClock.yield();
  }
  throw new Error(`${probe.title} never showed it`);
}

/** A real server's admission, whose cache may not have it yet, asks for it again. */
async function makeAccount(transport: Transport, namespace: string, signal: AbortSignal): Promise<void> {
  const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default" } };
  await send(
    transport,
    { title: "", method: "POST", path: `${core}/serviceaccounts`, body: account },
    namespace,
    signal,
  );
}

const core = "/api/v1/namespaces/{ns}";

function known(earlier: ReadonlyMap<string, Answered>, title: string): Answered {
  const answer = earlier.get(title);
  if (answer === undefined) throw new Error(`no earlier step is called ${title}`);
  return answer;
}

async function send(transport: Transport, step: Step, namespace: string, signal: AbortSignal): Promise<Answered> {
  const place = (text: string) => text.replaceAll("{ns}", namespace);
  const { method = "GET", path, query = {}, headers = {}, body } = step;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const response = await transport(
    {
      method,
      path: place(path),
      query: Object.entries(query).map(([name, value]) => [name, place(value)] as const),
      headers: {
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...placedHeaders(headers, place),
      },
      body: text === undefined ? noBody : { kind: "bytes", bytes: Buffer.from(place(text), "utf8") },
      prefers: "bytes",
    },
    signal,
  );
  await using _response = response;
  // Whatever a server says to HEAD, its body never gets through.
  const bytes =
    response.body.kind === "bytes" && method !== "HEAD"
      ? await collectBytes(response.body.bytes, { maxBytes: 32 * 1024 * 1024 })
      : new Uint8Array();
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "retry-after"]) {
    const value = headerValue(response.headers, name);
    if (value !== undefined) kept[name] = value;
  }
  const warning = response.headers["warning"];
  if (warning !== undefined) kept["warning"] = [warning].flat().join(", ");
  return {
    code: response.status,
    headers: kept,
    body: parsed(Buffer.from(bytes).toString("utf8"), kept["content-type"]),
  };
}

function placedHeaders(headers: HttpHeaders, place: (text: string) => string): HttpHeaders {
  const placed = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === "string" ? place(value) : value.map(place)] as const,
  );
  return Object.fromEntries(placed);
}

/** JSON, or one JSON a line (a watch), or YAML, whose spelling is free, or else the text. */
function parsed(text: string, contentType = ""): unknown {
  if (contentType === "application/yaml") return parse(text) as unknown;
  try {
    return JSON.parse(text);
  } catch {
    if (!text.startsWith("{")) return text;
  }
  try {
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return text;
  }
}
