// Upstream's configuration file, `KubeSchedulerConfiguration`, as options of a scheduler. The caller reads the file and parses its YAML. Fields, defaults and
// complaints are upstream's. What upstream accepts and this scheduler cannot do is refused with a sentence, never ignored; what makes no difference here
// (`parallelism`, contention profiling, the times of DynamicResources) is accepted.
import { parseDurationMs } from "@kubeloop/core/api";
import type { ElectionTimings } from "@kubeloop/core/election";
import type { Profile } from "../driver/scheduler.ts";
import { buildProfile, completePluginConfig } from "./build-profile.ts";
import { SchedulerConfigurationError } from "./configuration-error.ts";
import { type Fields, findUnknownFields, isObject } from "./decode-shape.ts";
import { withDefaults } from "./default-document.ts";
import { configurationKind, configurationVersion, documentShape, type SchedulerDocument } from "./document-shape.ts";
import { validateDocument } from "./validate-document.ts";

export interface SchedulerConfiguration {
  readonly profiles: readonly Profile[];
  readonly podInitialBackoffMs: number;
  readonly podMaxBackoffMs: number;
  /** Undefined: runs without an election. */
  readonly leaderElection:
    | (ElectionTimings & { readonly resourceName: string; readonly resourceNamespace: string })
    | undefined;
  readonly kubeconfig: string | undefined;
  /** Requests per second, and how many may go out at once. */
  readonly qps: number;
  readonly burst: number;
  readonly enableProfiling: boolean;
  /** Whether the caches are filled only when this process leads. */
  readonly delayCacheUntilActive: boolean;
  /** The same as a document, with every default. */
  readonly document: SchedulerDocument;
}

/** Throws a SchedulerConfigurationError. `change` is applied to the complete document before it is validated. */
export function decodeSchedulerConfiguration(
  document: unknown,
  change: (document: SchedulerDocument) => SchedulerDocument = (same) => same,
): SchedulerConfiguration {
  const decoded = change(withDefaults(checkShape(document)));
  const faults = validateDocument(decoded);
  if (faults.length > 0) throw new SchedulerConfigurationError(faults);
  const profiles = decoded.profiles.map((profile) => buildProfile(profile, decoded.percentageOfNodesToScore));
  if (decoded.extenders !== undefined) {
    throw new SchedulerConfigurationError(["extenders: extenders are not supported by this scheduler"]);
  }
  return {
    profiles,
    podInitialBackoffMs: decoded.podInitialBackoffSeconds * 1000,
    podMaxBackoffMs: decoded.podMaxBackoffSeconds * 1000,
    leaderElection: electionOf(decoded),
    kubeconfig: decoded.clientConnection.kubeconfig === "" ? undefined : decoded.clientConnection.kubeconfig,
    qps: decoded.clientConnection.qps,
    burst: decoded.clientConnection.burst,
    enableProfiling: decoded.enableProfiling,
    delayCacheUntilActive: decoded.delayCacheUntilActive === true,
    document: {
      ...decoded,
      profiles: decoded.profiles.map((profile) => ({ ...profile, pluginConfig: completePluginConfig(profile) })),
    },
  };
}

function checkShape(document: unknown): Fields {
  if (!isObject(document)) throw new SchedulerConfigurationError(["the configuration must be an object"]);
  const { apiVersion, kind } = document;
  const text = JSON.stringify(document);
  if (kind === undefined) throw new SchedulerConfigurationError([`Object 'Kind' is missing in '${text}'`]);
  if (apiVersion === undefined) throw new SchedulerConfigurationError([`Object 'apiVersion' is missing in '${text}'`]);
  if (apiVersion !== configurationVersion || kind !== configurationKind) {
    throw new SchedulerConfigurationError([
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    ]);
  }
  const unknown = findUnknownFields(document, documentShape);
  if (unknown.length === 0) return document;
  const fields = unknown.map((field) => `unknown field "${field}"`).join(", ");
  throw new SchedulerConfigurationError([`strict decoding error: ${fields}`]);
}

function electionOf({ leaderElection }: SchedulerDocument): SchedulerConfiguration["leaderElection"] {
  const { leaderElect, leaseDuration, renewDeadline, retryPeriod, resourceName, resourceNamespace } = leaderElection;
  if (!leaderElect) return undefined;
  return {
    leaseDurationMs: parseDurationMs(leaseDuration),
    renewDeadlineMs: parseDurationMs(renewDeadline),
    retryPeriodMs: parseDurationMs(retryPeriod),
    resourceName,
    resourceNamespace,
  };
}
