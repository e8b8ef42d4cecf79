// A pod's volumes: each of exactly one type, with a name of its own.
import { type corev1, quote, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkDnsLabel, isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import {
  checkAwsDisk,
  checkAzureDisk,
  checkAzureFile,
  checkCinder,
  checkFibreChannel,
  checkFlexVolume,
  checkFlocker,
  checkGcePersistentDisk,
  checkGitRepo,
  checkGlusterfs,
  checkIscsi,
  checkMonitors,
  checkPhoton,
  checkPortworx,
  checkQuobyte,
  checkRbd,
  checkScaleIo,
  checkStorageOs,
  checkVsphere,
} from "./check-old-volume-sources.ts";
import { checkProjected } from "./check-projected-volume.ts";
import {
  checkClaim,
  checkConfigMap,
  checkCsi,
  checkDownwardApi,
  checkEmptyDir,
  checkEphemeral,
  checkHostPath,
  checkImage,
  checkNfs,
  checkSecret,
} from "./check-volume-sources.ts";
import type { PodSpecOptions } from "./options.ts";

/** The volumes that are right, by name: what mounts may refer to. */
export type KnownVolumes = ReadonlyMap<string, corev1.Volume>;

type SourceName = Exclude<keyof corev1.Volume, "name">;

interface SourceRule {
  readonly field: SourceName;
  /** Where its faults are reported, unless at the field. */
  readonly reportedAt?: string;
  /** Where one type too many is reported, unless at the field. */
  readonly surplusAt?: string;
  check(volume: corev1.Volume, fldPath: ValidationPath, options: PodSpecOptions): void;
}

type SourceOf<Field extends SourceName> = NonNullable<corev1.Volume[Field]>;

function rule<Field extends SourceName>(
  field: Field,
  check: (source: SourceOf<Field>, fldPath: ValidationPath, options: PodSpecOptions) => void,
  reporting: Pick<SourceRule, "reportedAt" | "surplusAt"> = {},
): SourceRule {
  return {
    field,
    ...reporting,
    check(volume, fldPath, options) {
      const source = volume[field];
      if (source !== undefined) check(source, fldPath, options);
    },
  };
}

/** In the order in which they are looked at: the first one given is the volume's type. */
const sourceRules: readonly SourceRule[] = [
  rule("emptyDir", checkEmptyDir),
  rule("hostPath", checkHostPath),
  rule("gitRepo", checkGitRepo),
  rule("gcePersistentDisk", checkGcePersistentDisk, { reportedAt: "persistentDisk" }),
  rule("awsElasticBlockStore", checkAwsDisk),
  rule("secret", checkSecret),
  rule("nfs", checkNfs),
  rule("iscsi", checkIscsi),
  rule("glusterfs", checkGlusterfs),
  rule("flocker", checkFlocker),
  rule("persistentVolumeClaim", checkClaim),
  rule("rbd", checkRbd),
  rule("cinder", checkCinder),
  rule("cephfs", checkMonitors, { surplusAt: "cephFS" }),
  rule("quobyte", checkQuobyte),
  rule("downwardAPI", checkDownwardApi, { surplusAt: "downwarAPI" }),
  rule("fc", checkFibreChannel),
  rule("flexVolume", checkFlexVolume),
  rule("configMap", checkConfigMap),
  rule("azureFile", checkAzureFile),
  rule("vsphereVolume", checkVsphere),
  rule("photonPersistentDisk", checkPhoton),
  rule("portworxVolume", checkPortworx),
  rule("azureDisk", checkAzureDisk),
  rule("storageos", checkStorageOs),
  rule("projected", checkProjected),
  rule("scaleIO", checkScaleIo),
  rule("csi", checkCsi),
  rule("ephemeral", checkEphemeral),
  rule("image", (source, fldPath, { isPod }) => checkImage(source, fldPath, { needsReference: isPod })),
];

/** `podName` where the spec is a pod's that has one: claims for its ephemeral volumes are named after it. */
export function checkVolumes(
  volumes: readonly corev1.Volume[],
  fldPath: ValidationPath,
  podName: string | undefined,
  options: PodSpecOptions,
): KnownVolumes {
  const known = new Map<string, corev1.Volume>();
  const madeClaims = new Set(
    podName === undefined ? [] : volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${podName}-${name}`),
  );
  for (const [i, volume] of volumes.entries()) {
    const volumePath = fldPath.item(i);
    const before = fldPath.faultCount;
    checkSource(volume, podName, volumePath, options);
    const namePath = volumePath.at("name");
    if (isAbsent(volume.name)) namePath.required();
    else checkDnsLabel(volume.name, namePath);
    if (known.has(volume.name)) namePath.duplicate(volume.name);
    if (fldPath.faultCount === before) known.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && madeClaims.has(claimName)) {
      const claimPath = volumePath.at("persistentVolumeClaim", "claimName");
      const why = "must not reference a PVC that gets created for an ephemeral volume";
      claimPath.invalid(claimName, why);
    }
  }
  return known;
}

function checkSource(
  volume: corev1.Volume,
  podName: string | undefined,
  fldPath: ValidationPath,
  options: PodSpecOptions,
): void {
  const [first, ...surplus] = sourceRules.filter(({ field }) => volume[field] !== undefined);
  if (first === undefined) {
    fldPath.required("must specify a volume type");
    return;
  }
  first.check(volume, fldPath.at(first.reportedAt ?? first.field), options);
  for (const { field, surplusAt = field } of surplus) {
    fldPath.at(surplusAt).forbidden("may not specify more than 1 volume type");
  }
  checkNameWithSource(volume, first.field, podName, fldPath);
}

const longestIscsiName = 64;

/** What the name of the volume means for its source. */
function checkNameWithSource(
  { name, iscsi }: corev1.Volume,
  type: SourceName,
  podName: string | undefined,
  fldPath: ValidationPath,
): void {
  const namePath = fldPath.at("name");
  if (iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > longestIscsiName) {
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    namePath.invalid(name, why);
  }
  if (type !== "ephemeral" || podName === undefined || isAbsent(name)) return;
  const claimName = `${podName}-${name}`;
  for (const why of validateDns1123Subdomain(claimName)) {
    namePath.invalid(name, `PVC name ${quote(claimName)}: ${why}`);
  }
}
