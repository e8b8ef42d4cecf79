// The server of the decoding benches, a process of its own: plain HTTP on loopback. `/list` answers with all pods at once,
// whatever the limit, as a real server does at resourceVersion 0; `/watch` sends an event for each of them, twice, and
// closes. Prints its port.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { printPod } from "./raw-floor-pods.ts";

const podCount = 20_000;
const podsInAWrite = 200;

const list = [Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2000000"},"items":[')];
const events: Buffer[] = [];
for (let first = 0; first < podCount; first += podsInAWrite) {
  const pods = Array.from({ length: podsInAWrite }, (_, index) => printPod(first + index));
  list.push(Buffer.from(`${first === 0 ? "" : ","}${pods.join()}`));
  events.push(Buffer.from(pods.map((pod) => `${printEvent(pod)}\n`).join("")));
}
list.push(Buffer.from("]}\n"));

function printEvent(pod: string): string {
  return `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",${pod.slice(1)}}`;
}

async function send(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) if (!response.write(part)) await once(response, "drain");
  response.end();
}

const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  const parts = request.url === "/watch" ? [...events, ...events] : list;
  send(response, parts).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
