// /debug/pprof: what the process spends its time and memory on, as V8 profiles, which Chrome's developer tools and speedscope open. Paths are
// upstream's: profile?seconds=30 is the processor, heap is a snapshot of the heap, allocs?seconds=30 samples what is allocated. One profile at
// a time.
import type { Session } from "node:inspector/promises";
import {
  type ApiRequest,
  bytesResponse,
  newBadRequest,
  newTooManyRequests,
  queryValue,
  type Transport,
} from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { jsonResponse, type Routes, textResponse } from "@kubeloop/core/runtime";

const defaultSeconds = 30;
const mostSeconds = 3600;

export function profileRoutes(clock: Clock): Routes {
  let isProfiling = false;
  const alone =
    (profile: Transport): Transport =>
    async (request, signal) => {
      if (isProfiling) throw newTooManyRequests("a profile is being taken already", { retryAfterSeconds: 1 });
      isProfiling = true;
      try {
        return await profile(request, signal);
      } finally {
        isProfiling = false;
      }
    };
  const sampled = (
    start: (session: Session) => Promise<unknown>,
    stop: (session: Session) => Promise<{ profile: unknown }>,
  ) =>
    alone(async (request, signal) => {
      const seconds = readSeconds(request);
      await using session = await openSession();
      await start(session.inspector);
      await clock.sleep(seconds * 1000, signal);
      const { profile } = await stop(session.inspector);
      return jsonResponse(200, JSON.stringify(profile));
    });
  return {
    "/debug/pprof/": async () =>
      textResponse(
        200,
        "profile?seconds=30  processor\nallocs?seconds=30   allocations\nheap                heap snapshot\ncmdline             arguments\n",
      ),
    "/debug/pprof/profile": sampled(
      async (session) => {
        await session.post("Profiler.enable");
        await session.post("Profiler.start");
      },
      (session) => session.post("Profiler.stop"),
    ),
    "/debug/pprof/allocs": sampled(
      (session) => session.post("HeapProfiler.startSampling"),
      (session) => session.post("HeapProfiler.stopSampling"),
    ),
    "/debug/pprof/heap": alone(async () => {
      const { getHeapSnapshot } = await import("node:v8");
      const chunks: Uint8Array[] = [];
      for await (const chunk of getHeapSnapshot()) chunks.push(chunk as Uint8Array);
      return bytesResponse(200, Buffer.concat(chunks), { "content-type": "application/json" });
    }),
    "/debug/pprof/cmdline": async () => textResponse(200, process.argv.join("\0")),
  };
}

function readSeconds(request: ApiRequest): number {
  const text = queryValue(request.query, "seconds") ?? String(defaultSeconds);
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= mostSeconds))
    throw newBadRequest(`seconds must be between 0 and ${mostSeconds}, got ${JSON.stringify(text)}`);
  return seconds;
}

async function openSession(): Promise<{ readonly inspector: Session } & AsyncDisposable> {
  const { Session } = await import("node:inspector/promises");
  const inspector = new Session();
  inspector.connect();
  return {
    inspector,
    async [Symbol.asyncDispose]() {
      inspector.disconnect();
    },
  };
}
