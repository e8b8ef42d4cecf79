import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/index.ts";
import { nodeProcess, openProcessMetrics } from "./process-metrics.ts";

const delay = { meanSeconds: 0.002, maxSeconds: 0.5, p50Seconds: 0.001, p99Seconds: 0.4 };

function newReader() {
  const reader = {
    cpu: 1.5,
    fds: 12 as number | undefined,
    isOpen: true,
    startSeconds: 1_893_456_000,
    cpuSeconds: () => reader.cpu,
    residentBytes: () => 1000,
    heapUsedBytes: () => 500,
    openFds: () => reader.fds,
    procNumbers: () => ({ maxFds: 1024, receivedBytes: reader.cpu * 100 }),
    eventLoopDelay: () => delay,
    [Symbol.dispose]() {
      reader.isOpen = false;
    },
  };
  return reader;
}

test("the process is measured when somebody asks, and no longer than it is open", () => {
  const metrics = new MetricsRegistry();
  const reader = newReader();
  {
    using _open = openProcessMetrics(metrics, reader);
    expect(metrics.print()).toContain("process_cpu_seconds_total 1.5\n");
    reader.cpu = 4;
    const printed = metrics.print();
    for (const line of [
      "process_cpu_seconds_total 4",
      "process_resident_memory_bytes 1000",
      "nodejs_heap_size_used_bytes 500",
      "process_start_time_seconds 1.893456e+09",
      "process_open_fds 12",
      "process_max_fds 1024",
      "process_network_receive_bytes_total 400",
      "nodejs_eventloop_lag_mean_seconds 0.002",
      "nodejs_eventloop_lag_max_seconds 0.5",
      "nodejs_eventloop_lag_p50_seconds 0.001",
      "nodejs_eventloop_lag_p99_seconds 0.4",
    ]) {
      expect(printed).toContain(`${line}\n`);
    }
    expect(printed).not.toContain("process_virtual_memory_bytes");
  }
  reader.cpu = 9;
  expect(metrics.print()).toContain("process_cpu_seconds_total 4\n");
  expect(reader.isOpen).toBe(false);
});

test("what the platform does not tell is not there", () => {
  const metrics = new MetricsRegistry();
  const reader = newReader();
  reader.fds = undefined;
  using _open = openProcessMetrics(metrics, reader);
  expect(metrics.print()).not.toContain("process_open_fds");
});

test("this process has numbers, and none is not a number", () => {
  using reader = nodeProcess();
  expect(reader.cpuSeconds()).toBeGreaterThan(0);
  expect(reader.residentBytes()).toBeGreaterThan(reader.heapUsedBytes());
  expect(reader.startSeconds).toBeGreaterThan(1_600_000_000);
  for (const seconds of Object.values(reader.eventLoopDelay())) expect(seconds).toBeGreaterThanOrEqual(0);
});

test("the event loop is sampled from the first collection on, and no longer than it is open", () => {
  const calls: string[] = [];
  const histogram = {
    count: 2,
    mean: 0.3e9,
    max: 0.5e9,
    percentile: (percent: number) => percent * 1e7,
    reset: () => calls.push("reset"),
    enable: () => calls.push("enable") > 0,
    disable: () => calls.push("disable") > 0,
  };
  {
    using reader = nodeProcess(histogram);
    expect(calls).toEqual([]);
    const { p99Seconds, ...delay } = reader.eventLoopDelay();
    // Less the period between two samples.
    expect(delay).toEqual({ meanSeconds: 0.3 - 0.1, maxSeconds: 0.4, p50Seconds: 0.4 });
    expect(p99Seconds).toBeCloseTo(0.89);
    expect(calls).toEqual(["enable", "reset"]);
  }
  expect(calls).toEqual(["enable", "reset", "disable"]);
});
