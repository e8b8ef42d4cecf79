// When a deprecated metric is hidden: as many minor versions after its deprecation as its stability level promises.
import type { MetricDefinition, MetricStability } from "@kubeloop/core/base";

const servedMinorVersions: Readonly<Record<MetricStability, number>> = { INTERNAL: 0, ALPHA: 0, BETA: 1, STABLE: 3 };

/** `version` is the program's, major.minor. */
export function isHidden({ stability = "ALPHA", deprecatedVersion }: MetricDefinition, version: string): boolean {
  if (deprecatedVersion === undefined) return false;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [sinceMajor = 0, sinceMinor = 0] = deprecatedVersion.split(".").map(Number);
  if (sinceMajor !== major) return sinceMajor < major;
  return sinceMinor + servedMinorVersions[stability] <= minor;
}
