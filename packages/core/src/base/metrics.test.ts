import { describe, expect, test } from "vitest";
import { exponentialBuckets, noMetrics } from "./metrics.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { printNumber } from "./prometheus-text.ts";

describe("numbers print as Go prints them", () => {
  for (const [value, expected] of [
    [0, "0"],
    [-0, "-0"],
    [1, "1"],
    [1.5, "1.5"],
    [100_000, "100000"],
    [999_999, "999999"],
    [1_000_000, "1e+06"],
    [1_234_567, "1.234567e+06"],
    [1_234_567.5, "1.2345675e+06"],
    [123_456.789, "123456.789"],
    [1e20, "1e+20"],
    [1e21, "1e+21"],
    [0.1, "0.1"],
    [0.001, "0.001"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [0.000012345, "1.2345e-05"],
    [-0.25, "-0.25"],
    [-1e7, "-1e+07"],
    [Number.MAX_VALUE, "1.7976931348623157e+308"],
    [5e-324, "5e-324"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ] as const) {
    test(expected, () => expect(printNumber(value)).toBe(expected));
  }
});

describe("MetricsRegistry", () => {
  test("prints families by name, series by labels", () => {
    const registry = new MetricsRegistry();
    const adds = registry.counter({ name: "workqueue_adds_total", help: "Total adds", labels: ["name"] });
    adds.labels({ name: "b" }).inc();
    adds.labels({ name: "a" }).inc(2);
    registry.gauge({ name: "leader", help: "Is leader" }).labels({}).set(1);
    expect(registry.print()).toBe(
      [
        "# HELP leader Is leader",
        "# TYPE leader gauge",
        "leader 1",
        "# HELP workqueue_adds_total Total adds",
        "# TYPE workqueue_adds_total counter",
        'workqueue_adds_total{name="a"} 2',
        'workqueue_adds_total{name="b"} 1',
        "",
      ].join("\n"),
    );
  });

  test("histograms count cumulatively, bounds included, with sum and count", () => {
    const registry = new MetricsRegistry();
    const latency = registry.histogram({ name: "latency_seconds", help: "h", labels: ["q"], buckets: [0.1, 1, 10] });
    for (const value of [0.05, 0.1, 0.5, 100]) latency.labels({ q: "x" }).observe(value);
    expect(registry.print().split("\n").slice(2, -1)).toEqual([
      'latency_seconds_bucket{q="x",le="0.1"} 2',
      'latency_seconds_bucket{q="x",le="1"} 3',
      'latency_seconds_bucket{q="x",le="10"} 3',
      'latency_seconds_bucket{q="x",le="+Inf"} 4',
      'latency_seconds_sum{q="x"} 100.65',
      'latency_seconds_count{q="x"} 4',
    ]);
  });

  test("escapes help and label values", () => {
    const registry = new MetricsRegistry();
    const odd = registry.gauge({ name: "odd", help: "a\\b\nc", labels: ["l"] });
    odd.labels({ l: 'x"y\\z\nw' }).set(1);
    expect(registry.print()).toBe('# HELP odd a\\\\b\\nc\n# TYPE odd gauge\nodd{l="x\\"y\\\\z\\nw"} 1\n');
  });

  test("a metric without labels is there from the start, one with labels only once used", () => {
    const registry = new MetricsRegistry();
    registry.counter({ name: "plain_total", help: "h" });
    registry.counter({ name: "labelled_total", help: "h", labels: ["a"] });
    expect(registry.print()).toContain("plain_total 0");
    expect(registry.print()).not.toContain("labelled_total");
  });

  test("the same definition gives the same metric; series are kept and can be forgotten", () => {
    const registry = new MetricsRegistry();
    const definition = { name: "c_total", help: "h", labels: ["a"] as const };
    registry.counter(definition).labels({ a: "1" }).inc();
    registry.counter(definition).labels({ a: "1" }).inc();
    expect(registry.print()).toContain('c_total{a="1"} 2');
    registry.counter(definition).remove({ a: "1" });
    expect(registry.print()).toBe("");
  });

  test("gauges go up and down", () => {
    const registry = new MetricsRegistry();
    const depth = registry.gauge({ name: "depth", help: "h" }).labels({});
    depth.inc(5);
    depth.dec();
    expect(registry.print()).toContain("depth 4");
  });

  test("collect callbacks run before printing; one that throws is told and stops nothing", () => {
    const errors: unknown[] = [];
    const registry = new MetricsRegistry({ onError: (error) => errors.push(error) });
    const depth = registry.gauge({ name: "depth", help: "h" }).labels({});
    registry.onCollect(() => {
      throw new Error("bad collector");
    });
    const collector = registry.onCollect(() => depth.set(7));
    expect(registry.print()).toContain("depth 7");
    collector[Symbol.dispose]();
    depth.set(1);
    expect(registry.print()).toContain("depth 1");
    expect(errors).toHaveLength(2);
  });

  for (const [fact, define, expected] of [
    ["a bad name", (r: MetricsRegistry) => r.counter({ name: "a-b", help: "" }), "metric a-b is not a metric name"],
    [
      "a bad label",
      (r: MetricsRegistry) => r.counter({ name: "a", help: "", labels: ["x-y"] }),
      'bad label name "x-y"',
    ],
    [
      "another type under the same name",
      (r: MetricsRegistry) => {
        r.counter({ name: "a", help: "" });
        r.gauge({ name: "a", help: "" });
      },
      "is already defined",
    ],
    [
      "buckets that are not in increasing order",
      (r: MetricsRegistry) => r.histogram({ name: "a", help: "", buckets: [1, 1] }),
      "buckets that are not in increasing order",
    ],
    [
      "a label that is not given",
      (r: MetricsRegistry) => r.counter({ name: "a", help: "", labels: ["x"] }).labels({} as { x: string }),
      'lacks a value for label "x"',
    ],
    [
      "a counter that falls",
      (r: MetricsRegistry) => r.counter({ name: "a", help: "" }).labels({}).inc(-1),
      "cannot decrease",
    ],
  ] as const) {
    test(`${fact} is refused`, () => {
      expect(() => define(new MetricsRegistry())).toThrow(expected);
    });
  }
});

test("without a registry everything can be counted and nothing happens", () => {
  noMetrics
    .counter({ name: "a", help: "", labels: ["x"] })
    .labels({ x: "1" })
    .inc();
  noMetrics.histogram({ name: "a", help: "", buckets: [] }).labels({}).observe(1);
  noMetrics.gauge({ name: "a", help: "" }).remove({});
  noMetrics.onCollect(() => {})[Symbol.dispose]();
});

test("exponential buckets are upstream's", () => {
  expect(exponentialBuckets(1, 2, 4)).toEqual([1, 2, 4, 8]);
  // As Go multiplies: kube-controller-manager prints these bounds of its work queues.
  expect(exponentialBuckets(10e-9, 10, 5).map(printNumber)).toEqual([
    "1e-08",
    "1e-07",
    "1e-06",
    "9.999999999999999e-06",
    "9.999999999999999e-05",
  ]);
});
