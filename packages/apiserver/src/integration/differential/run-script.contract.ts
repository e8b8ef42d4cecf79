// Sends a script to a server through its transport and keeps what it answered.
import { collectBytes, headerValue, noBody, type Transport } from "@kubeloop/core/api";
import type { Answered, Scene, Step } from "./request-script.contract.ts";

/** By "scene: title". */
export async function runScenes(
  transport: Transport,
  scenes: readonly Scene[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Answered & { readonly namespace: string }>> {
  const all = new Map<string, Answered & { readonly namespace: string }>();
  for (const [number, { name, steps }] of scenes.entries()) {
    const namespace = `diff-${number}`;
    const create = { kind: "Namespace", apiVersion: "v1", metadata: { name: namespace } };
    await send(transport, { title: "", method: "POST", path: "/api/v1/namespaces", body: create }, namespace, signal);
    const earlier = new Map<string, Answered>();
    for (const next of steps) {
      const step = typeof next === "function" ? next((title) => known(earlier, title)) : next;
      const answer = await send(transport, step, namespace, signal);
      earlier.set(step.title, answer);
      all.set(`${name}: ${step.title}`, { ...answer, namespace });
    }
  }
  return all;
}

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
      headers: { ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: text === undefined ? noBody : { kind: "bytes", bytes: Buffer.from(place(text), "utf8") },
      prefers: "bytes",
    },
    signal,
  );
  await using _response = response;
  const bytes =
    response.body.kind === "bytes"
      ? await collectBytes(response.body.bytes, { maxBytes: 32 * 1024 * 1024 })
      : new Uint8Array();
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "retry-after"]) {
    const value = headerValue(response.headers, name);
    if (value !== undefined) kept[name] = value;
  }
  const warning = response.headers["warning"];
  if (warning !== undefined) kept["warning"] = [warning].flat().join(" | ");
  return { code: response.status, headers: kept, body: parsed(Buffer.from(bytes).toString("utf8")) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
