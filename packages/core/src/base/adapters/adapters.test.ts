// The adapters against the real pino and prom-client.
import pino from "pino";
import * as client from "prom-client";
import { describe, expect, test } from "vitest";
import { MetricsRegistry } from "../metrics-registry.ts";
import { pinoLog } from "./pino.ts";
import { promClientMetrics } from "./prom-client.ts";

describe("pinoLog", () => {
  test("passes level, message, fields, children and errors on", () => {
    const lines: string[] = [];
    const logger = pino({ level: "debug", base: null, timestamp: false }, { write: (line) => lines.push(line) });
    const log = pinoLog(logger).with({ controller: "job" });
    log.debug("a");
    log.info("b", { key: "x" });
    log.warn("c");
    log.error("d", { error: new Error("boom") });
    const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(read).toMatchObject([
      { level: 20, msg: "a", controller: "job" },
      { level: 30, msg: "b", controller: "job", key: "x" },
      { level: 40, msg: "c" },
      { level: 50, msg: "d", err: { type: "Error", message: "boom" } },
    ]);
  });
});

describe("promClientMetrics", () => {
  test("prints the same samples as our own registry", async () => {
    const registry = new client.Registry();
    const ours = new MetricsRegistry();
    for (const metrics of [promClientMetrics({ client, registry }), ours]) {
      const adds = metrics.counter({ name: "adds_total", help: "Adds", labels: ["name"] });
      adds.labels({ name: "b" }).inc(3);
      adds.labels({ name: "gone" }).inc();
      adds.remove({ name: "gone" });
      const depth = metrics.gauge({ name: "depth", help: "Depth", labels: ["name"] });
      metrics.onCollect(() => depth.labels({ name: "b" }).set(4));
      const seconds = metrics.histogram({ name: "seconds", help: "Seconds", labels: ["name"], buckets: [0.5, 5] });
      seconds.labels({ name: "b" }).observe(1);
    }
    // prom-client puts `le` first; the order of labels means nothing.
    const samples = (text: string) =>
      text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(",").sort().join(",")}}`))
        .sort();
    expect(samples(await registry.metrics())).toEqual(samples(ours.print()));
  });

  test("asked for twice, a metric is the same; another type under its name is refused", async () => {
    const registry = new client.Registry();
    const metrics = promClientMetrics({ client, registry });
    metrics.counter({ name: "a_total", help: "A" }).labels({}).inc();
    metrics.counter({ name: "a_total", help: "A" }).labels({}).inc();
    expect(await registry.metrics()).toContain("a_total 2");
    expect(() => metrics.gauge({ name: "a_total", help: "A" })).toThrow("is already defined");
  });
});
