// A container's log as text, piece by piece as it comes: its last line may lack a newline, and then it does here.
import { collectBytes, decodeStatus, newGenericServerResponse, noBody, StatusError } from "@kubeloop/core/api";
import type { Client, PodLogOptions } from "@kubeloop/core/client";

export interface LogSource {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
}

export async function* logText(
  client: Client,
  { pod, namespace, container }: LogSource,
  options: Omit<PodLogOptions, "container">,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const query = Object.entries({ container, ...options }).map(([name, value]) => [name, String(value)] as const);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  const headers = { accept: "application/json, */*" };
  await using response = await client.transport(
    { method: "GET", path, query, headers, body: noBody, prefers: "bytes" },
    signal,
  );
  const { status, body } = response;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  if (status !== 200) {
    const text = body.kind === "bytes" ? decoder.decode(await collectBytes(body.bytes, { maxBytes: 1024 * 1024 })) : "";
    throw refused(status, text, pod);
  }
  if (body.kind !== "bytes") return;
  for await (const bytes of body.bytes) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

function refused(code: number, text: string, name: string): StatusError {
  try {
    const status = decodeStatus(JSON.parse(text));
    if (status !== undefined) return new StatusError(status);
  } catch {
    // No Status: the code has to do.
  }
  const resource = { group: "", resource: "pods" };
  return newGenericServerResponse({
    code,
    method: "GET",
    resource,
    name,
    serverMessage: text.trim(),
    isUnexpected: true,
  });
}

/** The same text with something before each line. */
export async function* prefixed(texts: AsyncIterable<string>, prefix: string): AsyncGenerator<string, void, undefined> {
  let isAtStart = true;
  for await (const text of texts) {
    if (text === "") continue;
    const inside = text.slice(0, -1).replaceAll("\n", `\n${prefix}`) + text.slice(-1);
    yield (isAtStart ? prefix : "") + inside;
    isAtStart = text.endsWith("\n");
  }
}
