// What must hold of each type of volume there can be; and that there is exactly one.
import { type corev1, validateDns1123Label } from "@kubeloop/core/api";
import {
  checkAwsDisk,
  checkAzureDisk,
  checkDriverName,
  checkFibreChannel,
  checkFlexVolume,
  checkFlocker,
  checkGcePersistentDisk,
  checkHostPath,
  checkMonitors,
  checkNfs,
  checkPhoton,
  checkPortworx,
  checkQuobyte,
  checkScaleIo,
  checkVsphere,
} from "../../pod-spec/check-volume-sources.ts";
import { checkNoBacksteps } from "../../pod-spec/file-paths.ts";
import { checkDnsLabel, checkDnsSubdomain, checkPresent, isAbsent } from "../../shared/checks.ts";
import { isIscsiName } from "../../shared/iscsi-name.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";

type Volume = corev1.PersistentVolume;
type Spec = corev1.PersistentVolumeSpec;

interface SourceType {
  readonly field: keyof Spec;
  /** Where its own faults are reported, if not at the field; and where it is reported that there is another. */
  readonly fldPath?: string;
  readonly surplusPath?: string;
  check(spec: Spec, fldPath: ValidationPath, volume: Volume): void;
}

function type<Field extends keyof Spec>(
  field: Field,
  check: (source: NonNullable<Spec[Field]>, fldPath: ValidationPath, volume: Volume) => void,
  fldPaths: Pick<SourceType, "fldPath" | "surplusPath"> = {},
): SourceType {
  return {
    field,
    ...fldPaths,
    check: (spec, fldPath, volume) => {
      const source = spec[field];
      if (source !== undefined && source !== null) check(source, fldPath, volume);
    },
  };
}

/** In the order they are looked at: the first is checked, the others are too many. */
const types: readonly SourceType[] = [
  type("hostPath", checkHostPath),
  type("gcePersistentDisk", checkGcePersistentDisk, { fldPath: "persistentDisk" }),
  type("awsElasticBlockStore", checkAwsDisk),
  type("glusterfs", checkGlusterfs),
  type("flocker", checkFlocker),
  type("nfs", checkNfs),
  type("rbd", (source, fldPath) => {
    checkMonitors(source, fldPath);
    checkPresent(source.image, fldPath.at("image"));
  }),
  type("quobyte", checkQuobyte),
  type("cephfs", checkMonitors, { surplusPath: "cephFS" }),
  type("iscsi", checkIscsi),
  type("cinder", (source, fldPath) => {
    checkPresent(source.volumeID, fldPath.at("volumeID"));
    checkSecret(source.secretRef, fldPath.at("secretRef"));
  }),
  type("fc", checkFibreChannel),
  type("flexVolume", checkFlexVolume as never),
  type("azureFile", checkAzureFile),
  type("vsphereVolume", checkVsphere),
  type("photonPersistentDisk", checkPhoton),
  type("portworxVolume", checkPortworx),
  type("azureDisk", checkAzureDisk),
  type("scaleIO", checkScaleIo),
  type("local", checkLocal),
  type("storageos", checkStorageOs),
  type("csi", checkCsi),
];

export const sourceFields = types.map(({ field }) => field);

export function checkSources(volume: Volume, fldPath: ValidationPath): void {
  const { spec = {} } = volume;
  const given = types.filter(({ field }) => spec[field] !== undefined);
  if (given.length === 0) fldPath.required("must specify a volume type");
  for (const [i, { field, fldPath: ownPath = field, surplusPath = field, check }] of given.entries()) {
    // Flex volumes were forgotten where others are counted.
    if (i === 0 || field === "flexVolume") check(spec, fldPath.at(ownPath), volume);
    else fldPath.at(surplusPath).forbidden("may not specify more than 1 volume type");
  }
}

function checkGlusterfs(source: corev1.GlusterfsPersistentVolumeSource, fldPath: ValidationPath): void {
  checkPresent(source.endpoints, fldPath.at("endpoints"));
  checkPresent(source.path, fldPath.at("path"));
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return;
  const namespacePath = fldPath.at("endpointsNamespace");
  if (namespace === "") {
    namespacePath.invalid(namespace, "if the endpointnamespace is set, it must be a valid namespace name");
  } else {
    namespacePath.invalidFor(namespace, validateDns1123Label(namespace));
  }
}

function checkIscsi(source: corev1.ISCSIPersistentVolumeSource, fldPath: ValidationPath, { metadata }: Volume): void {
  const { targetPortal, iqn, lun = 0, secretRef, initiatorName } = source;
  checkPresent(targetPortal, fldPath.at("targetPortal"));
  if (initiatorName !== undefined && `${metadata.name}:${targetPortal}`.length > 64) {
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    fldPath.at("targetportal").invalid(targetPortal, why);
  }
  if (isAbsent(iqn)) fldPath.at("iqn").required();
  else if (isIscsiName(iqn) !== true) fldPath.at("iqn").invalid(iqn, "must be valid format");
  if (lun < 0 || lun > 255) fldPath.at("lun").invalid(lun, "must be between 0 and 255, inclusive");
  const needsSecret = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (needsSecret && secretRef === undefined) fldPath.at("secretRef").required();
  if (secretRef !== undefined) checkPresent(secretRef.name, fldPath.at("secretRef", "name"));
  if (initiatorName !== undefined && isIscsiName(initiatorName) !== true) {
    fldPath.at("initiatorname").invalid(initiatorName, "must be valid format");
  }
}

function checkAzureFile(source: corev1.AzureFilePersistentVolumeSource, fldPath: ValidationPath): void {
  checkPresent(source.secretName, fldPath.at("secretName"));
  checkPresent(source.shareName, fldPath.at("shareName"));
  if (source.secretNamespace === "") fldPath.at("secretNamespace").required();
}

function checkLocal({ path }: corev1.LocalVolumeSource, fldPath: ValidationPath, { spec }: Volume): void {
  if (isAbsent(path)) fldPath.at("path").required();
  else checkNoBacksteps(path, fldPath.at("path"));
  if (spec?.nodeAffinity === undefined) {
    fldPath.parent?.at("nodeAffinity").required("Local volume requires node affinity");
  }
}

function checkStorageOs(source: corev1.StorageOSPersistentVolumeSource, fldPath: ValidationPath): void {
  const { volumeName, volumeNamespace, secretRef } = source;
  if (isAbsent(volumeName)) fldPath.at("volumeName").required();
  else checkDnsLabel(volumeName, fldPath.at("volumeName"));
  if (!isAbsent(volumeNamespace)) checkDnsLabel(volumeNamespace, fldPath.at("volumeNamespace"));
  checkSecret(secretRef, fldPath.at("secretRef"));
}

/** A secret must be found: by name and namespace. */
function checkSecret(
  secret: { readonly name?: string; readonly namespace?: string } | undefined,
  fldPath: ValidationPath,
): void {
  if (secret === undefined) return;
  checkPresent(secret.name, fldPath.at("name"));
  checkPresent(secret.namespace, fldPath.at("namespace"));
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function checkCsi(source: corev1.CSIPersistentVolumeSource, fldPath: ValidationPath): void {
  checkDriverName(source.driver, fldPath.at("driver"));
  checkPresent(source.volumeHandle, fldPath.at("volumeHandle"));
  for (const secret of csiSecrets) {
    const reference = source[secret];
    if (reference === undefined) continue;
    const { name, namespace } = reference;
    if (isAbsent(name)) fldPath.at(secret, "name").required();
    else checkDnsSubdomain(name, fldPath.at(secret, "name"));
    if (isAbsent(namespace)) fldPath.at(secret, "namespace").required();
    else checkDnsLabel(namespace, fldPath.at(secret, "namespace"));
  }
}
