// What the process says about itself, under upstream's names: its build, its versions, its feature gates, which controllers run in it, and
// what the platform knows of it (CPU, memory, files).
import type { MetricDefinition, Metrics } from "@kubeloop/core/base";
import { openProcessMetrics } from "@kubeloop/core/runtime";
import type { FeatureGates } from "../options/index.ts";

export const managerMetricDefinitions = {
  build: {
    name: "kubernetes_build_info",
    help:
      "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and " +
      "compiler from which Kubernetes was built, and platform on which it is running.",
    labels: [
      "major",
      "minor",
      "git_version",
      "git_commit",
      "git_tree_state",
      "build_date",
      "go_version",
      "compiler",
      "platform",
    ],
    stability: "BETA",
  },
  versions: {
    name: "version_info",
    help:
      "Provides the compatibility version info of the component. The component label is the name of the component, usually kube, but is " +
      "relevant for aggregated-apiservers.",
    labels: ["component", "binary", "emulation", "min_compat"],
  },
  feature: {
    name: "kubernetes_feature_enabled",
    help: "This metric records the data about the stage and enablement of a k8s feature.",
    labels: ["name", "stage"],
    stability: "BETA",
  },
  running: {
    name: "running_managed_controllers",
    help: "Indicates where instances of a controller are currently running",
    labels: ["name", "manager"],
    stability: "BETA",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export interface ManagerFacts {
  readonly featureGates: FeatureGates;
  /** Kubernetes' version, with a v before it. */
  readonly gitVersion: string;
  readonly emulatedVersion: string;
  readonly minCompatibilityVersion: string;
}

/** Until it is disposed of. */
export function openManagerMetrics(metrics: Metrics, facts: ManagerFacts): Disposable {
  const { featureGates, gitVersion, emulatedVersion, minCompatibilityVersion } = facts;
  const [major = "", minor = ""] = gitVersion.slice(1).split(".");
  metrics
    .gauge(managerMetricDefinitions.build)
    .labels({
      major,
      minor,
      git_version: gitVersion,
      git_commit: "",
      git_tree_state: "",
      build_date: "",
      // Dashboards show this one as the runtime's version.
      go_version: `node${process.versions.node}`,
      compiler: "node",
      platform: `${process.platform}/${process.arch}`,
    })
    .set(1);
  metrics
    .gauge(managerMetricDefinitions.versions)
    .labels({
      component: "kube",
      binary: gitVersion.slice(1),
      emulation: emulatedVersion,
      min_compat: minCompatibilityVersion,
    })
    .set(1);
  const features = metrics.gauge(managerMetricDefinitions.feature);
  for (const { name, stage, isOn } of featureGates.all()) {
    features.labels({ name, stage: stage === "GA" ? "" : stage }).set(isOn ? 1 : 0);
  }
  return openProcessMetrics(metrics);
}

/** Says of a controller that it runs, or runs no longer. */
export function runningControllers(metrics: Metrics): (name: string, isRunning: boolean) => void {
  const running = metrics.gauge(managerMetricDefinitions.running);
  return (name, isRunning) => running.labels({ name, manager: "kube-controller-manager" }).set(isRunning ? 1 : 0);
}
