// One run of the list bench, a process of its own: reads the list with one of the two readers, keeps the items, and prints
// what it cost.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "@kubeloop/core/base";
import { request } from "undici";
import { decodeList } from "../../../packages/core/dist/esm/client/streams/list-stream.js";
import { type DecodingCost, readListWhole } from "./raw-floor.ts";

const [, , reader = "", url = ""] = process.argv;
const neverAborted = new AbortController().signal;
const stalls = monitorEventLoopDelay({ resolution: 1 });
stalls.enable();
await systemClock.sleep(30, neverAborted);
stalls.reset();

const kept: unknown[] = [];
const startMs = systemClock.monotonic();
const startCpu = process.cpuUsage();
const stallMs = await (reader === "ours" ? readOurs() : readFloor());
const { user, system } = process.cpuUsage(startCpu);
const cost: DecodingCost = {
  count: kept.length,
  cpuMs: (user + system) / 1000,
  wallMs: systemClock.monotonic() - startMs,
  stallMs,
  peakMb: process.resourceUsage().maxRSS / 1024,
};
console.log(JSON.stringify(cost));

async function readOurs(): Promise<number> {
  const { body } = await request(url);
  const list = decodeList({ kind: "bytes", bytes: body }, { clock: systemClock }, neverAborted);
  for await (const batch of list.batches()) for (const item of batch) kept.push(item);
  // A stall is recorded by the first timer after it.
  await systemClock.sleep(5, neverAborted);
  return stalls.max / 1e6;
}

async function readFloor(): Promise<number> {
  const { items, parseMs } = await readListWhole(url);
  for (const item of items) kept.push(item);
  return parseMs;
}
