// One run of the watch bench, a process of its own: reads all events with one of the two readers and prints what it cost.
// The second time is measured: a watch lasts for hours, and the first second of any program is the compiler's.
import { systemClock } from "@kubeloop/core/base";
import { request } from "undici";
import { decodeWatch } from "../../../packages/core/dist/esm/client/streams/watch-stream.js";
import { type DecodingCost, readWatchLines } from "./raw-floor.ts";

const [, , reader = "", url = ""] = process.argv;
await read();
const startMs = systemClock.monotonic();
const startCpu = process.cpuUsage();
const count = await read();
const { user, system } = process.cpuUsage(startCpu);
const cost: DecodingCost = {
  count,
  cpuMs: (user + system) / 1000,
  wallMs: systemClock.monotonic() - startMs,
  stallMs: 0,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(cost));

function read(): Promise<number> {
  return reader === "ours" ? readOurs() : readWatchLines(url);
}

async function readOurs(): Promise<number> {
  const { body } = await request(url);
  const events = decodeWatch({ kind: "bytes", bytes: body }, { clock: systemClock }, new AbortController().signal);
  let count = 0;
  for await (const batch of events.batches()) for (const event of batch) if (event.type !== "ERROR") count++;
  return count;
}
