// Volumes of plugins that were part of Kubernetes and are CSI drivers now: what the driver calls such a volume, and where it says that the volume can be
// reached. Only what scheduling needs; the rest of a volume is not translated.
import { KubeloopError } from "@kubeloop/core/base";
import type {
  NodeSelector,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeSpec,
  Volume,
} from "@kubeloop/core/types/core/v1";
import type { CSINode } from "@kubeloop/core/types/storage/v1";

/** The volume has no meaning for the driver. */
export class TranslationError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Invalid", retry: "never" });
  }
}

type Source = Pick<
  PersistentVolumeSpec & Volume,
  | "awsElasticBlockStore"
  | "gcePersistentDisk"
  | "azureDisk"
  | "cinder"
  | "portworxVolume"
  | "azureFile"
  | "vsphereVolume"
>;

interface MigratedPlugin {
  /** The name that the plugin had as a provisioner. */
  readonly plugin: string;
  readonly driver: string;
  /** The driver's label for zones, if it has one of its own. */
  readonly topologyKey: string | undefined;
  readonly isSourceOf: (source: Source) => boolean;
  readonly handleOf: (source: Source, zones: readonly string[]) => string;
}

const plugins: readonly MigratedPlugin[] = [
  {
    plugin: "kubernetes.io/aws-ebs",
    driver: "ebs.csi.aws.com",
    topologyKey: "topology.ebs.csi.aws.com/zone",
    isSourceOf: ({ awsElasticBlockStore }) => awsElasticBlockStore !== undefined,
    handleOf: ({ awsElasticBlockStore }) => ebsHandle(awsElasticBlockStore?.volumeID ?? ""),
  },
  {
    plugin: "kubernetes.io/gce-pd",
    driver: "pd.csi.storage.gke.io",
    topologyKey: "topology.gke.io/zone",
    isSourceOf: ({ gcePersistentDisk }) => gcePersistentDisk !== undefined,
    handleOf: ({ gcePersistentDisk }, zones) => `${gceLocation(zones)}/disks/${gcePersistentDisk?.pdName ?? ""}`,
  },
  {
    plugin: "kubernetes.io/azure-disk",
    driver: "disk.csi.azure.com",
    topologyKey: undefined,
    isSourceOf: ({ azureDisk }) => azureDisk !== undefined,
    handleOf: ({ azureDisk }) => {
      const { kind, diskURI = "" } = azureDisk ?? {};
      if (kind === undefined || kind.toLowerCase() === "managed") return diskURI;
      throw new TranslationError(`kind(${kind}) is not supported in csi migration`);
    },
  },
  {
    plugin: "kubernetes.io/cinder",
    driver: "cinder.csi.openstack.org",
    topologyKey: "topology.cinder.csi.openstack.org/zone",
    isSourceOf: ({ cinder }) => cinder !== undefined,
    handleOf: ({ cinder }) => cinder?.volumeID ?? "",
  },
  {
    plugin: "kubernetes.io/portworx-volume",
    driver: "pxd.portworx.com",
    topologyKey: undefined,
    isSourceOf: ({ portworxVolume }) => portworxVolume !== undefined,
    handleOf: ({ portworxVolume }) => portworxVolume?.volumeID ?? "",
  },
];

/** Plugins with a driver whose volumes a scheduler does not count. */
const uncounted = ["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"];

export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

export function isMigratable(source: Source): boolean {
  const { azureFile, vsphereVolume } = source;
  return azureFile !== undefined || vsphereVolume !== undefined || pluginOf(source) !== undefined;
}

/** Returns the driver that the volume belongs to now. */
export function driverOf(source: Source): string | undefined {
  return pluginOf(source)?.driver;
}

/** Returns what the driver calls the volume, or undefined if it has none. Throws a TranslationError. */
export function toDriverVolume(
  source: Source,
  labels: Readonly<Record<string, string>> = {},
): DriverVolume | undefined {
  const migrated = pluginOf(source);
  if (migrated === undefined) return undefined;
  return { driver: migrated.driver, handle: migrated.handleOf(source, zonesOf(labels)) };
}

/** Returns the driver of a provisioner; the provisioner itself, if it is none of the old plugins; undefined, if its volumes are not counted. */
export function driverOfProvisioner(provisioner: string): string | undefined {
  if (uncounted.includes(provisioner)) return undefined;
  return plugins.find(({ plugin }) => plugin === provisioner)?.driver ?? provisioner;
}

/** Returns where the volume can be reached from a node on which this CSINode says what was migrated. Throws a TranslationError. */
export function affinityOn(
  { metadata, spec = {} }: PersistentVolume,
  csiNode: CSINode | undefined,
): NodeSelector | undefined {
  const required = spec.nodeAffinity?.required;
  const migrated = pluginOf(spec);
  const onNode = csiNode?.metadata.annotations?.["storage.alpha.kubernetes.io/migrated-plugins"]?.split(",") ?? [];
  if (migrated === undefined || !onNode.includes(migrated.plugin)) return required;
  // A volume that the driver does not know can be reached from nowhere.
  migrated.handleOf(spec, zonesOf(metadata.labels ?? {}));
  const { topologyKey } = migrated;
  return topologyKey === undefined ? required : toDriverTopology(required, metadata.labels ?? {}, topologyKey);
}

function pluginOf(source: Source): MigratedPlugin | undefined {
  return plugins.find(({ isSourceOf }) => isSourceOf(source));
}

const zoneKeys = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"] as const;
const regionKey = "topology.kubernetes.io/region";
const oldRegionKey = "failure-domain.beta.kubernetes.io/region";

/** The driver has its own label for zones, which nodes have; a zone that only the volume's labels tell is added to each term. */
function toDriverTopology(
  required: NodeSelector | undefined,
  labels: Readonly<Record<string, string>>,
  topologyKey: string,
): NodeSelector | undefined {
  const terms = required?.nodeSelectorTerms ?? [];
  const hasKey = (key: string) =>
    terms.some(({ matchExpressions = [] }) => matchExpressions.some((each) => each.key === key));
  const zoneKey = zoneKeys.find(hasKey) ?? zoneKeys.find((key) => labels[key] !== undefined) ?? zoneKeys[0];
  const isOld = zoneKey !== zoneKeys[0];
  const hasZones = hasValues(terms, zoneKey);
  const renamed = terms.map(({ matchExpressions = [], ...term }) => ({
    ...term,
    matchExpressions: matchExpressions.map((each) => {
      if (hasZones && each.key === zoneKey) return { ...each, key: topologyKey };
      return isOld && each.key === oldRegionKey && hasValues(terms, oldRegionKey) ? { ...each, key: regionKey } : each;
    }),
  }));
  const zones = (labels[zoneKey] ?? "").split("__").flatMap((zone) => (zone.trim() === "" ? [] : [zone.trim()]));
  if (hasZones || zones.length === 0) return required === undefined ? undefined : { nodeSelectorTerms: renamed };
  const zone = { key: topologyKey, operator: "In", values: zones };
  const extended = renamed.length === 0 ? [{ matchExpressions: [] }] : renamed;
  return {
    nodeSelectorTerms: extended.map((term) => ({ ...term, matchExpressions: [...term.matchExpressions, zone] })),
  };
}

function hasValues(terms: readonly NodeSelectorTerm[], key: string): boolean {
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some((each) => each.key === key && (each.values ?? []).length > 0),
  );
}

function zonesOf(labels: Readonly<Record<string, string>>): readonly string[] {
  const zones = labels[zoneKeys[1]] ?? "";
  return (zones === "" ? (labels[zoneKeys[0]] ?? "") : zones).split("__");
}

/** `aws://zone/vol-1`, `aws:///vol-1` and `vol-1` are the same. */
function ebsHandle(volumeId: string): string {
  if (!volumeId.startsWith("aws://")) return volumeId;
  const handle = volumeId.replace(/^aws:\/\/[^/]*/, "").replace(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(handle)) return handle;
  throw new TranslationError(
    `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${volumeId})`,
  );
}

function gceLocation(zones: readonly string[]): string {
  const [first = ""] = zones;
  if (zones.length === 1) return `projects/UNSPECIFIED/zones/${first === "" ? "UNSPECIFIED" : first}`;
  const regions = new Set<string>();
  for (const zone of zones) {
    const parts = zone.split("-");
    if (parts.length !== 3) {
      const expected = "expected: {locale}-{region}-{zone}";
      throw new TranslationError(
        `failed to get region from zones: zone in unexpected format, ${expected}, got: ${zone}`,
      );
    }
    regions.add(parts.slice(0, 2).join("-"));
  }
  const [region = ""] = regions;
  if (regions.size === 1) return `projects/UNSPECIFIED/regions/${region}`;
  throw new TranslationError("failed to get region from zones: multiple or no regions gotten from zones");
}
