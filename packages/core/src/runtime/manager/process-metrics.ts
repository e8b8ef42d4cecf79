// Metrics about the process itself, with the names that Prometheus' client libraries share (`process_*`), and about the delay of the event
// loop, with the names of the client library for Node (`nodejs_eventloop_lag_*`). The delay matters because a controller whose event loop lags
// loses its lease.
//
// Values are read when the metrics are collected. Node samples the delay of the event loop from the first collection on, as long as this is
// open; each collection resets the samples. Every sample wakes the process: a hundred a second would cost an idle controller more than all else.
import { readdirSync, readFileSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { CounterSeries, GaugeSeries, Metrics } from "../../base/index.ts";
import { type ProcNumbers, readProcNumbers } from "./proc-files.ts";

/** The source of the values. */
export interface ProcessReader extends Disposable {
  cpuSeconds(): number;
  residentBytes(): number;
  heapUsedBytes(): number;
  /** Unix time. */
  readonly startSeconds: number;
  /** Undefined if the platform does not provide it. */
  openFds(): number | undefined;
  /** Empty if the platform is not Linux. */
  procNumbers?(): ProcNumbers;
  /** Since the last call. */
  eventLoopDelay(): EventLoopDelay;
}

export interface EventLoopDelay {
  readonly meanSeconds: number;
  readonly maxSeconds: number;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
}

export const processMetricDefinitions = {
  cpu: { name: "process_cpu_seconds_total", help: "Total user and system CPU time spent in seconds." },
  memory: { name: "process_resident_memory_bytes", help: "Resident memory size in bytes." },
  heap: { name: "nodejs_heap_size_used_bytes", help: "Process heap size used from Node.js in bytes." },
  start: { name: "process_start_time_seconds", help: "Start time of the process since unix epoch in seconds." },
  fds: { name: "process_open_fds", help: "Number of open file descriptors." },
  maxFds: { name: "process_max_fds", help: "Maximum number of open file descriptors." },
  virtual: { name: "process_virtual_memory_bytes", help: "Virtual memory size in bytes." },
  maxVirtual: {
    name: "process_virtual_memory_max_bytes",
    help: "Maximum amount of virtual memory available in bytes.",
  },
  received: {
    name: "process_network_receive_bytes_total",
    help: "Number of bytes received by the process over the network.",
  },
  sent: {
    name: "process_network_transmit_bytes_total",
    help: "Number of bytes sent by the process over the network.",
  },
  lagMean: { name: "nodejs_eventloop_lag_mean_seconds", help: "The mean of the recorded event loop delays." },
  lagMax: { name: "nodejs_eventloop_lag_max_seconds", help: "The maximum recorded event loop delay." },
  lagP50: { name: "nodejs_eventloop_lag_p50_seconds", help: "The 50th percentile of the recorded event loop delays." },
  lagP99: { name: "nodejs_eventloop_lag_p99_seconds", help: "The 99th percentile of the recorded event loop delays." },
} as const;

/** Measures the process until the result is disposed. */
export function openProcessMetrics(metrics: Metrics, reader: ProcessReader = nodeProcess()): Disposable {
  const definitions = processMetricDefinitions;
  const gauge = (definition: (typeof definitions)[keyof typeof definitions]) => metrics.gauge(definition).labels({});
  const cpu = metrics.counter(definitions.cpu).labels({});
  const [memory, heap] = [gauge(definitions.memory), gauge(definitions.heap)];
  const [mean, max] = [gauge(definitions.lagMean), gauge(definitions.lagMax)];
  const [p50, p99] = [gauge(definitions.lagP50), gauge(definitions.lagP99)];
  const fds = reader.openFds() === undefined ? undefined : gauge(definitions.fds);
  gauge(definitions.start).set(reader.startSeconds);
  const proc = openProcMetrics(metrics, reader);
  let counted = 0;
  const collecting = metrics.onCollect(() => {
    const used = reader.cpuSeconds();
    cpu.inc(Math.max(0, used - counted));
    counted = used;
    memory.set(reader.residentBytes());
    heap.set(reader.heapUsedBytes());
    fds?.set(reader.openFds() ?? 0);
    proc();
    const delay = reader.eventLoopDelay();
    mean.set(delay.meanSeconds);
    max.set(delay.maxSeconds);
    p50.set(delay.p50Seconds);
    p99.set(delay.p99Seconds);
  });
  return {
    [Symbol.dispose]() {
      collecting[Symbol.dispose]();
      reader[Symbol.dispose]();
    },
  };
}

/** Returns a function that updates the metrics. Only numbers that the platform provides at the first read get a metric. */
function openProcMetrics(metrics: Metrics, reader: ProcessReader): () => void {
  const define = processMetricDefinitions;
  const first = reader.procNumbers?.() ?? {};
  const gauges: (readonly [keyof ProcNumbers, GaugeSeries])[] = [];
  const counters: { readonly of: keyof ProcNumbers; readonly series: CounterSeries; counted: number }[] = [];
  const { maxFds, virtual, maxVirtual, received, sent } = define;
  for (const [of, definition] of [
    ["maxFds", maxFds],
    ["virtualBytes", virtual],
    ["maxVirtualBytes", maxVirtual],
  ] as const) {
    if (first[of] !== undefined) gauges.push([of, metrics.gauge(definition).labels({})]);
  }
  for (const [of, definition] of [
    ["receivedBytes", received],
    ["sentBytes", sent],
  ] as const) {
    if (first[of] !== undefined) counters.push({ of, series: metrics.counter(definition).labels({}), counted: 0 });
  }
  return () => {
    const numbers = reader.procNumbers?.() ?? {};
    for (const [of, series] of gauges) series.set(numbers[of] ?? 0);
    for (const counter of counters) {
      const value = numbers[counter.of] ?? 0;
      counter.series.inc(Math.max(0, value - counter.counted));
      counter.counted = value;
    }
  };
}

const resolutionMs = 100;

/** What of Node's histogram is used. */
type DelayHistogram = Pick<IntervalHistogram, "count" | "mean" | "max" | "percentile" | "reset" | "enable" | "disable">;

export function nodeProcess(
  delay: DelayHistogram = monitorEventLoopDelay({ resolution: resolutionMs }),
): ProcessReader {
  // The samples include the sampling period, so it is subtracted. Without a sample the mean is NaN.
  const seconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000) : 0;
  return {
    cpuSeconds() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    residentBytes: () => process.memoryUsage.rss(),
    heapUsedBytes: () => process.memoryUsage().heapUsed,
    startSeconds: Math.round((performance.timeOrigin / 1000) * 100) / 100,
    openFds() {
      try {
        return readdirSync("/proc/self/fd").length;
      } catch {
        return undefined;
      }
    },
    procNumbers: () => readProcNumbers(readProcFile),
    eventLoopDelay() {
      const seen = {
        meanSeconds: seconds(delay.mean),
        maxSeconds: delay.count === 0 ? 0 : seconds(delay.max),
        p50Seconds: delay.count === 0 ? 0 : seconds(delay.percentile(50)),
        p99Seconds: delay.count === 0 ? 0 : seconds(delay.percentile(99)),
      };
      delay.enable();
      delay.reset();
      return seen;
    },
    [Symbol.dispose]() {
      delay.disable();
    },
  };
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(`/proc/self/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
