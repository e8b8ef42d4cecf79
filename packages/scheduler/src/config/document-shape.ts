// The fields of KubeSchedulerConfiguration v1 and of the arguments of its plugins, with Go's types, and what a complete document is.
import type { NodeAffinity, TopologySpreadConstraint } from "@kubeloop/core/types/core/v1";
import type { Shape } from "./decode-shape.ts";

export const configurationVersion = "kubescheduler.config.k8s.io/v1";
export const configurationKind = "KubeSchedulerConfiguration";

/** In the order in which upstream looks at them. */
export const extensionPoints = [
  "preFilter",
  "filter",
  "postFilter",
  "reserve",
  "preScore",
  "score",
  "preBind",
  "bind",
  "postBind",
  "permit",
  "preEnqueue",
  "queueSort",
  "placementGenerate",
  "placementScore",
] as const;
export type ExtensionPointName = (typeof extensionPoints)[number];

export interface PluginEntry {
  readonly name: string;
  readonly weight: number;
}

export interface PluginSet {
  readonly enabled?: readonly PluginEntry[];
  readonly disabled?: readonly PluginEntry[];
}

export type PluginSets = Readonly<Record<ExtensionPointName | "multiPoint", PluginSet>>;

export interface PluginConfig {
  readonly name: string;
  readonly args?: object;
}

export interface ProfileDocument {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  readonly plugins: PluginSets;
  readonly pluginConfig: readonly PluginConfig[];
}

/** With every default filled in, as upstream writes it for `--write-config-to` and /configz. */
export interface SchedulerDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly parallelism: number;
  readonly leaderElection: {
    readonly leaderElect: boolean;
    readonly leaseDuration: string;
    readonly renewDeadline: string;
    readonly retryPeriod: string;
    readonly resourceLock: string;
    readonly resourceName: string;
    readonly resourceNamespace: string;
  };
  readonly clientConnection: {
    readonly kubeconfig: string;
    readonly acceptContentTypes: string;
    readonly contentType: string;
    readonly qps: number;
    readonly burst: number;
  };
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly profiles: readonly ProfileDocument[];
  readonly extenders?: readonly ExtenderDocument[];
  readonly delayCacheUntilActive?: boolean;
}

export interface ExtenderDocument {
  readonly prioritizeVerb?: string;
  readonly weight?: number;
  readonly bindVerb?: string;
  readonly managedResources?: readonly { readonly name?: string }[];
}

const plugin: Shape = { struct: "Plugin", fields: { name: "string", weight: "int32" } };
const pluginSet: Shape = {
  struct: "PluginSet",
  fields: { enabled: { listOf: plugin }, disabled: { listOf: plugin } },
};

const extender: Shape = {
  struct: "Extender",
  fields: {
    urlPrefix: "string",
    filterVerb: "string",
    preemptVerb: "string",
    prioritizeVerb: "string",
    weight: "int64",
    bindVerb: "string",
    enableHTTPS: "bool",
    tlsConfig: "raw",
    httpTimeout: "duration",
    nodeCacheCapable: "bool",
    managedResources: {
      listOf: { struct: "ExtenderManagedResource", fields: { name: "string", ignoredByScheduler: "bool" } },
    },
    ignorable: "bool",
  },
};

export const documentShape: Shape = {
  struct: "KubeSchedulerConfiguration",
  fields: {
    apiVersion: "string",
    kind: "string",
    parallelism: "int32",
    leaderElection: {
      struct: "LeaderElectionConfiguration",
      fields: {
        leaderElect: "bool",
        leaseDuration: "duration",
        renewDeadline: "duration",
        retryPeriod: "duration",
        resourceLock: "string",
        resourceName: "string",
        resourceNamespace: "string",
      },
    },
    clientConnection: {
      struct: "ClientConnectionConfiguration",
      fields: {
        kubeconfig: "string",
        acceptContentTypes: "string",
        contentType: "string",
        qps: "float32",
        burst: "int32",
      },
    },
    enableProfiling: "bool",
    enableContentionProfiling: "bool",
    percentageOfNodesToScore: "int32",
    podInitialBackoffSeconds: "int64",
    podMaxBackoffSeconds: "int64",
    profiles: {
      listOf: {
        struct: "KubeSchedulerProfile",
        fields: {
          schedulerName: "string",
          percentageOfNodesToScore: "int32",
          plugins: {
            struct: "Plugins",
            fields: Object.fromEntries([...extensionPoints, "multiPoint"].map((point) => [point, pluginSet])),
          },
          pluginConfig: { listOf: { struct: "PluginConfig", fields: { name: "string", args: "raw" } } },
        },
      },
    },
    extenders: { listOf: extender },
    delayCacheUntilActive: "bool",
  },
};

export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}
export interface ScoringStrategy {
  readonly type: string;
  readonly resources: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly ShapePoint[] };
}

/** The arguments of each plugin that has some, with defaults filled in. */
export interface PluginArgs {
  readonly DefaultPreemption: {
    readonly minCandidateNodesPercentage: number;
    readonly minCandidateNodesAbsolute: number;
  };
  readonly DynamicResources: { readonly filterTimeout: string; readonly bindingTimeout: string };
  readonly InterPodAffinity: {
    readonly hardPodAffinityWeight: number;
    readonly ignorePreferredTermsOfExistingPods: boolean;
  };
  readonly NodeAffinity: { readonly addedAffinity?: NodeAffinity };
  readonly NodeResourcesBalancedAllocation: { readonly resources: readonly ResourceSpec[] };
  readonly NodeResourcesFit: {
    readonly ignoredResources?: readonly string[];
    readonly ignoredResourceGroups?: readonly string[];
    readonly scoringStrategy: ScoringStrategy;
  };
  readonly PodTopologySpread: {
    readonly defaultConstraints?: readonly TopologySpreadConstraint[];
    readonly defaultingType: string;
  };
  readonly VolumeBinding: { readonly bindTimeoutSeconds: number; readonly shape?: readonly ShapePoint[] };
}

const resources: Shape = { listOf: { struct: "ResourceSpec", fields: { name: "string", weight: "int64" } } };
const shapePoints: Shape = {
  listOf: { struct: "UtilizationShapePoint", fields: { utilization: "int32", score: "int32" } },
};

const argumentFields: Readonly<Record<keyof PluginArgs, Readonly<Record<string, Shape>>>> = {
  DefaultPreemption: { minCandidateNodesPercentage: "int32", minCandidateNodesAbsolute: "int32" },
  DynamicResources: { filterTimeout: "duration", bindingTimeout: "duration" },
  InterPodAffinity: { hardPodAffinityWeight: "int32", ignorePreferredTermsOfExistingPods: "bool" },
  NodeAffinity: { addedAffinity: "raw" },
  NodeResourcesBalancedAllocation: { resources },
  NodeResourcesFit: {
    ignoredResources: { listOf: "string" },
    ignoredResourceGroups: { listOf: "string" },
    scoringStrategy: {
      struct: "ScoringStrategy",
      fields: {
        type: "string",
        resources,
        requestedToCapacityRatio: { struct: "RequestedToCapacityRatioParam", fields: { shape: shapePoints } },
      },
    },
  },
  PodTopologySpread: { defaultConstraints: { listOf: "raw" }, defaultingType: "string" },
  VolumeBinding: { bindTimeoutSeconds: "int64", shape: shapePoints },
};

export const hasArguments = (name: string): name is keyof PluginArgs => Object.hasOwn(argumentFields, name);

export function argumentsShape(name: keyof PluginArgs): Shape {
  return { struct: `${name}Args`, fields: { apiVersion: "string", kind: "string", ...argumentFields[name] } };
}
