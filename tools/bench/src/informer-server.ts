// The server of the informer benches, a process of its own: plain HTTP on loopback, 20,000 pods of 4.7 KB at
// `/<manner>/api/v1/pods`, in four manners. `pages` honours `limit`, `whole` ignores it, `streams` sends the initial state by
// watch where asked to and the rest refuse that; `protobuf` is `whole` in protobuf. A watch from the list's version on sends 100,000 updates and stays open.
// Prints its port.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encodePods, type ProtobufPods } from "./protobuf-pods.ts";
import { printPod } from "./raw-floor-pods.ts";

const podCount = 20_000;
const updateRounds = 5;
const listVersion = 2_000_000;
const podsInAWrite = 200;

const pods = Array.from({ length: podCount }, (_, index) => printPod(index));
/** Updates carry versions of their own, one after the other. */
const updates: Buffer[] = [];
for (let round = 0; round < updateRounds; round++) {
  for (let first = 0; first < podCount; first += podsInAWrite) {
    const events = Array.from({ length: podsInAWrite }, (_, i) =>
      printEvent("MODIFIED", withVersion(pods[first + i] ?? "", listVersion + round * podCount + first + i + 1)),
    );
    updates.push(Buffer.from(events.join("")));
  }
}
const initialEvents: Buffer[] = [];
for (let first = 0; first < podCount; first += podsInAWrite) {
  initialEvents.push(
    Buffer.from(
      pods
        .slice(first, first + podsInAWrite)
        .map((pod) => printEvent("ADDED", pod))
        .join(""),
    ),
  );
}
const endOfInitialEvents = Buffer.from(
  `${JSON.stringify({
    type: "BOOKMARK",
    object: {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { resourceVersion: String(listVersion), annotations: { "k8s.io/initial-events-end": "true" } },
    },
  })}\n`,
);
const refusal = JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Invalid",
  code: 422,
  message: "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
});

function withVersion(pod: string, version: number): string {
  return pod.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${version}"`);
}

function printEvent(type: string, pod: string): string {
  return `{"type":"${type}","object":{"kind":"Pod","apiVersion":"v1",${pod.slice(1)}}\n`;
}

function listParts(first: number, limit: number): readonly Buffer[] {
  const last = Math.min(podCount, first + limit);
  const token = last < podCount ? `,"continue":"${last}"` : "";
  const parts = [
    Buffer.from(
      `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${listVersion}"${token}},"items":[`,
    ),
  ];
  for (let at = first; at < last; at += podsInAWrite) {
    parts.push(Buffer.from(`${at === first ? "" : ","}${pods.slice(at, Math.min(last, at + podsInAWrite)).join()}`));
  }
  parts.push(Buffer.from("]}\n"));
  return parts;
}

/** Encoded when first asked for. */
let encoding: Promise<ProtobufPods> | undefined;

async function sendProtobuf(response: ServerResponse, isWatch: boolean): Promise<void> {
  encoding ??= encodePods(pods, listVersion);
  const encoded = await encoding;
  response.setHeader("content-type", `application/vnd.kubernetes.protobuf${isWatch ? ";stream=watch" : ""}`);
  if (!isWatch) {
    await send(response, encoded.list);
    response.end();
    return;
  }
  for (let sent = 0; sent < updateRounds * podCount; sent += podsInAWrite) {
    await send(response, [encoded.updates(sent % podCount, podsInAWrite, listVersion + sent + 1)]);
  }
}

async function send(response: ServerResponse, parts: readonly Uint8Array[]): Promise<void> {
  for (const part of parts) if (!response.write(part) && !response.destroyed) await once(response, "drain");
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "", "http://localhost");
  const manner = url.pathname.split("/")[1];
  const query = url.searchParams;
  const isWatch = query.get("watch") !== null;
  if (manner === "protobuf" && query.get("sendInitialEvents") !== "true") {
    sendProtobuf(response, isWatch).catch(fail);
    return;
  }
  response.setHeader("content-type", "application/json");
  if (!isWatch) {
    const limit = manner === "pages" ? Number(query.get("limit") ?? podCount) : podCount;
    send(response, listParts(Number(query.get("continue") ?? 0), limit)).then(() => response.end(), fail);
    return;
  }
  if (query.get("sendInitialEvents") === "true") {
    if (manner !== "streams") {
      response.statusCode = 422;
      response.end(refusal);
      return;
    }
    send(response, [...initialEvents, endOfInitialEvents, ...updates]).catch(fail);
    return;
  }
  send(response, updates).catch(fail);

  function fail(error: unknown): void {
    response.destroy(error as Error);
  }
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
