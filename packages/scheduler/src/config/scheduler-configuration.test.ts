import { expect, test } from "vitest";
import { filterAlone, node, pod } from "../cluster.fixture.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { decodeSchedulerConfiguration, SchedulerConfigurationError } from "./scheduler-configuration.ts";

const head = { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" };
const decode = (fields: object) => decodeSchedulerConfiguration({ ...head, ...fields });
const withPlugins = (plugins: object) => decode({ profiles: [{ plugins }] }).profiles[0]?.plugins ?? [];

test("an empty configuration has upstream's defaults", () => {
  expect(decode({})).toEqual({
    profiles: [{ schedulerName: "default-scheduler", plugins: defaultPlugins, percentageOfNodesToScore: 0 }],
    podInitialBackoffMs: 1000,
    podMaxBackoffMs: 10_000,
    leaderElection: {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      resourceName: "kube-scheduler",
      resourceNamespace: "kube-system",
    },
    kubeconfig: undefined,
    qps: 50,
    burst: 100,
    enableProfiling: true,
  });
});

test("profiles have their own percentage, or that of all", () => {
  const { profiles } = decode({
    percentageOfNodesToScore: 30,
    profiles: [{ schedulerName: "a" }, { schedulerName: "b", percentageOfNodesToScore: 70 }],
  });
  expect(profiles.map((each) => [each.schedulerName, each.percentageOfNodesToScore])).toEqual([
    ["a", 30],
    ["b", 70],
  ]);
});

test("an election can be switched off, and its times set", () => {
  expect(decode({ leaderElection: { leaderElect: false } }).leaderElection).toBeUndefined();
  const times = { leaseDuration: "1m30s", renewDeadline: "20s", retryPeriod: "500ms" };
  expect(decode({ leaderElection: times }).leaderElection).toMatchObject({
    leaseDurationMs: 90_000,
    renewDeadlineMs: 20_000,
    retryPeriodMs: 500,
  });
});

test("a plugin that is disabled has no say", () => {
  const plugins = withPlugins({ multiPoint: { disabled: [{ name: "NodeUnschedulable" }] } });
  expect(plugins.map(({ plugin }) => plugin.name)).toEqual(
    defaultPlugins.map(({ plugin }) => plugin.name).filter((name) => name !== "NodeUnschedulable"),
  );
});

test("scores alone can be disabled and weighed", () => {
  const plugins = withPlugins({
    score: { disabled: [{ name: "*" }], enabled: [{ name: "TaintToleration", weight: 7 }] },
  });
  const scoring = plugins.filter(({ plugin }) => plugin.preScore !== undefined);
  expect(scoring.map(({ plugin, weight }) => [plugin.name, weight])).toEqual([["TaintToleration", 7]]);
  const filtering = (list: typeof plugins) => list.filter(({ plugin }) => plugin.preFilter !== undefined).length;
  expect(filtering(plugins)).toBe(filtering(defaultPlugins));
});

test("a filter alone can be disabled", () => {
  const taints = withPlugins({ filter: { disabled: [{ name: "TaintToleration" }] } }).find(
    ({ plugin }) => plugin.name === "TaintToleration",
  );
  expect(taints?.plugin.preScore).toBeDefined();
  expect(taints === undefined ? undefined : filterAlone(taints.plugin, pod("p"), { nodes: [node("n")] })).toEqual({
    all: "skip",
  });
});

test("all plugins can be disabled and some enabled again, in the order given", () => {
  const plugins = withPlugins({
    multiPoint: { disabled: [{ name: "*" }], enabled: [{ name: "NodePorts" }, { name: "NodeName", weight: 3 }] },
  });
  expect(plugins.map(({ plugin, weight }) => [plugin.name, weight])).toEqual([
    ["NodePorts", 1],
    ["NodeName", 3],
  ]);
});

test.each<[string, unknown, readonly string[]]>([
  ["not an object", "text", ["the configuration: must be an object", "apiVersion:", "kind:"]],
  ["another version", { ...head, apiVersion: "v1" }, ["apiVersion: must be kubescheduler.config.k8s.io/v1"]],
  ["an unknown field", { ...head, percentage: 5 }, ["percentage: unknown field"]],
  [
    "a percentage beyond all",
    { ...head, percentageOfNodesToScore: 101 },
    ["percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]"],
  ],
  [
    "a backoff that shrinks",
    { ...head, podInitialBackoffSeconds: 5, podMaxBackoffSeconds: 2 },
    ["podMaxBackoffSeconds: Invalid value: 2: must be greater than or equal to PodInitialBackoffSeconds"],
  ],
  ["extenders", { ...head, extenders: [{ urlPrefix: "http://x" }] }, ["extenders: extenders are not supported"]],
  [
    "two profiles of one name, and one without",
    { ...head, profiles: [{ schedulerName: "a" }, { schedulerName: "a" }, {}] },
    ['profiles[1].schedulerName: Duplicate value: "a"', "profiles[2].schedulerName: Required value"],
  ],
  [
    "a plugin that there is not",
    { ...head, profiles: [{ plugins: { score: { enabled: [{ name: "Mine" }] } } }] },
    ['profiles[0].plugins.score.enabled[0].name: there is no plugin "Mine"'],
  ],
  [
    "a plugin that cannot be switched off",
    { ...head, profiles: [{ plugins: { multiPoint: { disabled: [{ name: "DynamicResources" }] } } }] },
    ["profiles[0].plugins.multiPoint.disabled[0].name: DynamicResources cannot be switched off"],
  ],
  [
    "arguments",
    { ...head, profiles: [{ pluginConfig: [{ name: "NodeResourcesFit", args: {} }] }] },
    ["profiles[0].pluginConfig[0].args: arguments of NodeResourcesFit are not supported"],
  ],
  [
    "an extension point that cannot be configured",
    { ...head, profiles: [{ plugins: { bind: {} } }] },
    ["profiles[0].plugins.bind: unknown field"],
  ],
  [
    "times in the wrong order",
    { ...head, leaderElection: { leaseDuration: "5s" } },
    ["leaderElection.leaseDuration: must be greater than renewDeadline"],
  ],
  [
    "a time without a unit",
    { ...head, leaderElection: { leaseDuration: "15" } },
    ['leaderElection.leaseDuration: Invalid value: "15": must be a duration such as "15s"'],
  ],
])("%s is refused", (_, document, faults) => {
  const error = errorOf(() => decodeSchedulerConfiguration(document));
  expect(error?.faults).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});

function errorOf(run: () => unknown): SchedulerConfigurationError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof SchedulerConfigurationError) return error;
    throw error;
  }
}
