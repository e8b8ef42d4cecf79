import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MetricStability, MetricsRegistry } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { isHidden } from "./deprecation.ts";
import { KubeMetrics, type KubeMetricsOptions } from "./kube-metrics.ts";
import { readLabelAllowLists } from "./label-allow-lists.ts";

const textOf = async (metrics: KubeMetrics) => String(await metrics.print());
const printedBy = async (options: KubeMetricsOptions, use: (metrics: KubeMetrics) => void) => {
  const metrics = new KubeMetrics({ version: "1.36", ...options });
  use(metrics);
  return await textOf(metrics);
};

describe("a metric", () => {
  test("says its stability, and that it is deprecated, before its help", async () => {
    const text = await printedBy({}, (metrics) => {
      metrics.counter({ name: "a_total", help: "Counts a." });
      metrics.gauge({ name: "b", help: "Is b.", stability: "STABLE", deprecatedVersion: "1.35.0" });
    });
    expect(text).toContain("# HELP a_total [ALPHA] Counts a.\n");
    expect(text).toContain("# HELP b [STABLE] (Deprecated since 1.35.0) Is b.\n");
  });

  test("is counted once, by its stability", async () => {
    const text = await printedBy({}, (metrics) => {
      metrics.counter({ name: "a_total", help: "", stability: "STABLE" });
      metrics.counter({ name: "a_total", help: "", stability: "STABLE" });
    });
    expect(text).toContain('registered_metrics_total{stability_level="STABLE",deprecated_version=""} 1\n');
    // The four that count the others.
    expect(text).toContain('registered_metrics_total{stability_level="BETA",deprecated_version=""} 3\n');
    expect(text).toContain('registered_metrics_total{stability_level="ALPHA",deprecated_version=""} 1\n');
  });

  test.each<readonly [MetricStability, string | undefined, boolean]>([
    ["ALPHA", undefined, false],
    ["ALPHA", "1.37.0", false],
    ["ALPHA", "1.36.0", true],
    ["BETA", "1.36.0", false],
    ["BETA", "1.35.0", true],
    ["STABLE", "1.34.0", false],
    ["STABLE", "1.33.0", true],
    ["STABLE", "0.99.0", true],
    ["ALPHA", "2.0.0", false],
  ])("that is %s and deprecated since %s is hidden in 1.36: %s", (stability, deprecatedVersion, expected) => {
    const definition = { name: "a", help: "", stability, ...(deprecatedVersion && { deprecatedVersion }) };
    expect(isHidden(definition, "1.36")).toBe(expected);
  });
});

describe("hidden and disabled metrics", () => {
  const use = (metrics: KubeMetrics) => {
    metrics.counter({ name: "old_total", help: "", deprecatedVersion: "1.30.0" }).labels({}).inc(7);
    metrics
      .histogram({ name: "slow", help: "", labels: ["a"], buckets: [1] })
      .labels({ a: "x" })
      .observe(2);
    metrics.gauge({ name: "depth", help: "" }).labels({}).set(3);
  };
  const served = (text: string) =>
    ["old_total", "slow", "depth"].filter((name) => text.includes(`# TYPE ${name} `)).join(" ");
  const counted = (text: string) =>
    ["hidden", "disabled"].map((what) => Number(new RegExp(`^${what}_metrics_total (.*)$`, "m").exec(text)?.[1]));

  test.each([
    ["without flags, a deprecated one is hidden", {}, "slow depth", [1, 0]],
    ["--show-hidden-metrics-for-version shows it", { isShowingHidden: true }, "old_total slow depth", [0, 0]],
    ["--disabled-metrics hides any", { disabled: ["slow", "depth", "slow"] }, "", [3, 2]],
    ["and goes first", { disabled: ["old_total"], isShowingHidden: true }, "slow depth", [1, 1]],
    ["a name that nothing has is counted, too", { disabled: ["none"] }, "slow depth", [1, 1]],
  ] as const)("%s", async (_fact, options, expected, numbers) => {
    const text = await printedBy(options, use);
    expect([served(text), counted(text)]).toEqual([expected, numbers]);
  });
});

describe("labels", () => {
  const allowed = () => readLabelAllowLists({ allowListMapping: { "q,name": "a,b" }, allowListMappingManifest: "" });

  test("have only allowed values; others are one series", async () => {
    const metrics = new KubeMetrics({ allowed: await allowed() });
    const queue = metrics.counter({ name: "q", help: "", labels: ["name", "host"] });
    for (const name of ["a", "c", "d"]) queue.labels({ name, host: "h" }).inc();
    const other = metrics.counter({ name: "r", help: "", labels: ["name"] });
    other.labels({ name: "c" }).inc();
    const text = await textOf(metrics);
    expect(text).toContain('q{name="a",host="h"} 1\n');
    expect(text).toContain('q{name="unexpected",host="h"} 2\n');
    expect(text).toContain('r{name="c"} 1\n');
    expect(text).toContain("cardinality_enforcement_unexpected_categorizations_total 2\n");
  });

  const folder = mkdtempSync(join(tmpdir(), "kubeloop-labels-"));
  const manifest = (text: string) => {
    const path = join(folder, `${text.length}.yaml`);
    writeFileSync(path, text);
    return { allowListMapping: {}, allowListMappingManifest: path };
  };

  test("may be limited by the file of --allow-metric-labels-manifest", async () => {
    const lists = await readLabelAllowLists(manifest('"q,name": "a,b"\n"q,host": h\n"r,name": c\n'));
    const plain = [...lists].map(([name, labels]) => [name, [...labels].map(([label, set]) => [label, [...set]])]);
    expect(plain).toEqual([
      [
        "q",
        [
          ["name", ["a", "b"]],
          ["host", ["h"]],
        ],
      ],
      ["r", [["name", ["c"]]]],
    ]);
  });

  // In upstream's words; what its parser says of YAML is its own.
  test.each([
    [
      "that is not there",
      { allowListMapping: {}, allowListMappingManifest: "/none.yaml" },
      'metrics.allowListMappingManifest: Invalid value: "/none.yaml": failed to read allow list manifest: open /none.yaml: no such file or directory',
    ],
    ["whose keys are no labels", manifest("a: 1\n"), "invalid allow list mapping in manifest: [metrics.allowList"],
    ["that is no map", manifest("- a\n- b\n"), "failed to parse allow list manifest"],
  ])("a file %s is refused", async (_fact, flags, complaint) => {
    await expect(readLabelAllowLists(flags)).rejects.toThrow(complaint);
  });
});

test("values are kept where the program keeps its own", () => {
  const inner = new MetricsRegistry();
  new KubeMetrics({ inner }).counter({ name: "a_total", help: "" }).labels({}).inc(5);
  expect(inner.print()).toContain("a_total 5\n");
});
