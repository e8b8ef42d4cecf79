// A container's log as bytes or lines. With `follow` it continues until the container ends or the signal aborts.
import { pods } from "../../api/generated/resources.ts";
import { type ApiRequest, noBody, type Transport, TransportError } from "../../api/index.ts";
import { pair } from "./options.ts";
import { throwIfRefused } from "./read-response.ts";
import { resourcePath } from "./resource-path.ts";

export interface PodLogOptions {
  /** Required if the pod has several containers. */
  readonly container?: string;
  readonly follow?: boolean;
  /** The log of the previous container instance. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
}

const optionNames: readonly (keyof PodLogOptions)[] = [
  "container",
  "follow",
  "previous",
  "sinceSeconds",
  "sinceTime",
  "tailLines",
  "limitBytes",
  "timestamps",
];

export async function* podLogBytes(
  transport: Transport,
  pod: { readonly namespace: string; readonly name: string } & PodLogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { namespace, name } = pod;
  const request: ApiRequest = {
    method: "GET",
    path: resourcePath({ resource: pods, namespace, name, subresource: "log" }),
    query: optionNames.flatMap((option) => pair(option, pod[option])),
    headers: { accept: "*/*" },
    body: noBody,
    prefers: "bytes",
  };
  await using response = await transport(request, signal);
  await throwIfRefused(response, { request, resource: { group: "", resource: "pods" }, name });
  const { body } = response;
  if (body.kind === "bytes") yield* body.bytes;
  else if (body.kind !== "none") {
    throw new TransportError(`the log of ${namespace}/${name} came as ${body.kind}, not as bytes`, {
      reason: "Decode",
      wasSent: "maybe",
    });
  }
}

/** Yields lines without newlines, including a last line without one. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
