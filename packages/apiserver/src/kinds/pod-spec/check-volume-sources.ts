// What must hold of each type of volume a pod can have.
import { type corev1, quantitySign, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkChoice, checkDnsLabel, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import { checkClaimSpec } from "../shared/claim-spec.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkAnnotations, checkLabels } from "../shared/labels.ts";
import { checkFieldReference, checkResourceReference, volumeFields } from "./field-references.ts";
import { checkDescendingPath, checkFileMode, checkLocalPath, checkNoBacksteps } from "./file-paths.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const rangeText = (low: number, high: number) => `must be between ${low} and ${high}, inclusive`;

type Check<T> = (source: T, place: FaultPlace) => void;

/** Fields that must be there, and nothing else to be said. */
function checkFields<Name extends string>(...names: readonly Name[]): Check<{ readonly [name in Name]?: string }> {
  return (source, place) => {
    for (const name of names) checkPresent(source[name], place.at(name));
  };
}

export const checkEmptyDir: Check<corev1.EmptyDirVolumeSource> = ({ sizeLimit }, place) => {
  if (sizeLimit !== undefined && quantitySign(sizeLimit) < 0) {
    place.at("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity");
  }
};

export const checkHostPath: Check<corev1.HostPathVolumeSource> = (source, place) => {
  const pathPlace = place.at("path");
  if (isAbsent(source.path)) {
    pathPlace.required();
    return;
  }
  checkNoBacksteps(source.path, pathPlace);
  checkOptionalChoice(source.type, place.at("type"), hostPathTypes);
};

export const checkGitRepo: Check<corev1.GitRepoVolumeSource> = (source, place) => {
  checkPresent(source.repository, place.at("repository"));
  checkDescendingPath(source.directory ?? "", place.at("directory"));
};

export const checkGcePersistentDisk: Check<corev1.GCEPersistentDiskVolumeSource> = (source, place) => {
  checkPresent(source.pdName, place.at("pdName"));
  checkPartition(source.partition, place.at("partition"));
};

export const checkAwsDisk: Check<corev1.AWSElasticBlockStoreVolumeSource> = (source, place) => {
  checkPresent(source.volumeID, place.at("volumeID"));
  checkPartition(source.partition, place.at("partition"));
};

/** Zero stands for none; the text says otherwise. */
function checkPartition(partition: number | undefined, place: FaultPlace): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) {
    place.invalid(partition, rangeText(1, 255));
  }
}

export const checkSecret: Check<corev1.SecretVolumeSource> = (source, place) => {
  checkPresent(source.secretName, place.at("secretName"));
  checkFileMode(source.defaultMode, place.at("defaultMode"));
  checkKeys(source.items, place.at("items"));
};

export const checkConfigMap: Check<corev1.ConfigMapVolumeSource> = (source, place) => {
  checkPresent(source.name, place.at("name"));
  checkFileMode(source.defaultMode, place.at("defaultMode"));
  checkKeys(source.items, place.at("items"));
};

function checkKeys(items: readonly corev1.KeyToPath[] | undefined, place: FaultPlace): void {
  for (const [i, item] of (items ?? []).entries()) checkKey(item, place.item(i));
}

export function checkKey(item: corev1.KeyToPath, place: FaultPlace): void {
  checkPresent(item.key, place.at("key"));
  checkPresent(item.path, place.at("path"));
  checkLocalPath(item.path ?? "", place.at("path"));
  checkFileMode(item.mode, place.at("mode"));
}

export const checkNfs: Check<corev1.NFSVolumeSource> = (source, place) => {
  checkPresent(source.server, place.at("server"));
  checkPresent(source.path, place.at("path"));
  if (source.path?.startsWith("/") !== true) {
    place.at("path").invalid(source.path ?? "", "must be an absolute path");
  }
};

export const checkIscsi: Check<corev1.ISCSIVolumeSource> = (source, place) => {
  checkPresent(source.targetPortal, place.at("targetPortal"));
  if (isAbsent(source.iqn)) place.at("iqn").required();
  else checkIscsiName(source.iqn, place.at("iqn"));
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) place.at("lun").invalid(lun, rangeText(0, 255));
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && source.secretRef === undefined) {
    place.at("secretRef").required();
  }
  const { initiatorName } = source;
  if (initiatorName !== undefined) checkIscsiName(initiatorName, place.at("initiatorname"));
};

const iscsiNames: readonly (readonly [prefix: string, shape: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[0-9A-Za-z]{16}$/],
  ["naa", /^naa.[0-9A-Za-z]{32}$/],
];

function checkIscsiName(name: string, place: FaultPlace): void {
  const known = iscsiNames.find(([prefix]) => name.startsWith(prefix));
  if (known === undefined) {
    place.invalid(name, "must be valid format starting with iqn, eui, or naa");
  } else if (!known[1].test(name)) {
    place.invalid(name, "must be valid format");
  }
}

export const checkGlusterfs = checkFields("endpoints", "path");

export const checkFlocker: Check<corev1.FlockerVolumeSource> = ({ datasetName, datasetUUID }, place) => {
  const [hasName, hasUuid] = [!isAbsent(datasetName), !isAbsent(datasetUUID)];
  if (!hasName && !hasUuid) place.required("one of datasetName and datasetUUID is required");
  if (hasName && hasUuid) {
    const why = "datasetName and datasetUUID can not be specified simultaneously";
    place.invalid("resource", why);
  }
  if (datasetName?.includes("/") === true) {
    place.at("datasetName").invalid(datasetName, "must not contain '/'");
  }
};

export const checkClaim = checkFields("claimName");

export const checkRbd: Check<corev1.RBDVolumeSource> = (source, place) => {
  checkMonitors(source, place);
  checkPresent(source.image, place.at("image"));
};

export const checkMonitors: Check<{ readonly monitors: readonly string[] }> = ({ monitors }, place) => {
  if ((monitors ?? []).length === 0) place.at("monitors").required();
};

export const checkCinder: Check<corev1.CinderVolumeSource> = (source, place) => {
  checkPresent(source.volumeID, place.at("volumeID"));
  checkSecretName(source.secretRef, place);
};

function checkSecretName(secretRef: corev1.LocalObjectReference | undefined, place: FaultPlace): void {
  if (secretRef !== undefined) checkPresent(secretRef.name, place.at("secretRef", "name"));
}

export const checkQuobyte: Check<corev1.QuobyteVolumeSource> = ({ registry, tenant = "", volume }, place) => {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (isAbsent(registry)) {
    place.at("registry").required(pairs);
  } else if (tenant.length >= 65) {
    const why = "must be a UUID and may not exceed a length of 64 characters";
    place.at("tenant").required(why);
  } else {
    for (const pair of registry.split(",")) {
      if (!isHostAndPort(pair)) place.at("registry").invalid(registry, pairs);
    }
  }
  checkPresent(volume, place.at("volume"));
};

function isHostAndPort(text: string): boolean {
  return /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text);
}

export const checkDownwardApi: Check<corev1.DownwardAPIVolumeSource> = (source, place) => {
  checkFileMode(source.defaultMode, place.at("defaultMode"));
  for (const file of source.items ?? []) checkDownwardApiFile(file, place);
};

/** Its faults are told at the volume, not at the file. */
export const checkDownwardApiFile: Check<corev1.DownwardAPIVolumeFile> = (file, place) => {
  const { fieldRef, resourceFieldRef } = file;
  checkPresent(file.path, place.at("path"));
  checkLocalPath(file.path ?? "", place.at("path"));
  if (fieldRef !== undefined) {
    checkFieldReference(fieldRef, place.at("fieldRef"), volumeFields);
    if (resourceFieldRef !== undefined) {
      const why = "fieldRef and resourceFieldRef can not be specified simultaneously";
      place.invalid("resource", why);
    }
  } else if (resourceFieldRef !== undefined) {
    const options = { needsContainer: true };
    checkResourceReference(resourceFieldRef, place.at("resourceFieldRef"), options);
  } else {
    place.required("one of fieldRef and resourceFieldRef is required");
  }
  checkFileMode(file.mode, place.at("mode"));
};

export const checkFibreChannel: Check<corev1.FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, place) => {
  const targetPlace = place.at("targetWWNs");
  if (targetWWNs.length === 0 && wwids.length === 0) {
    targetPlace.required("must specify either targetWWNs or wwids, but not both");
  }
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) {
    const why = "targetWWNs and wwids can not be specified simultaneously";
    targetPlace.invalid(targetWWNs, why);
  }
  const lunPlace = place.at("lun");
  if (lun === undefined) lunPlace.required("lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) lunPlace.invalid(lun, rangeText(0, 255));
};

export const checkFlexVolume: Check<corev1.FlexVolumeSource> = (source, place) => {
  checkPresent(source.driver, place.at("driver"));
  for (const option of Object.keys(source.options ?? {})) {
    const domain = `.${option.split("/", 1)[0]?.toLowerCase()}`;
    if (!domain.endsWith(".kubernetes.io") && !domain.endsWith(".k8s.io")) continue;
    const why = "kubernetes.io and k8s.io namespaces are reserved";
    place.at("options").item(option).invalid(option, why);
  }
};

export const checkAzureFile = checkFields("secretName", "shareName");
export const checkVsphere = checkFields("volumePath");
export const checkPhoton = checkFields("pdID");
export const checkPortworx = checkFields("volumeID");
export const checkScaleIo = checkFields("gateway", "system", "volumeName");

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export const checkAzureDisk: Check<corev1.AzureDiskVolumeSource> = (source, place) => {
  const { diskURI = "", kind } = source;
  checkPresent(source.diskName, place.at("diskName"));
  checkPresent(diskURI, place.at("diskURI"));
  checkOptionalChoice(source.cachingMode, place.at("cachingMode"), ["None", "ReadOnly", "ReadWrite"]);
  checkOptionalChoice(kind, place.at("kind"), ["Dedicated", "Managed", "Shared"]);
  if (kind === undefined) return;
  const [start, shape] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  if (!diskURI.startsWith(start)) place.at("diskURI").notSupported(diskURI, [shape]);
};

export const checkStorageOs: Check<corev1.StorageOSVolumeSource> = (source, place) => {
  const { volumeName, volumeNamespace } = source;
  const namePlace = place.at("volumeName");
  if (isAbsent(volumeName)) namePlace.required();
  else checkDnsLabel(volumeName, namePlace);
  if (!isAbsent(volumeNamespace)) checkDnsLabel(volumeNamespace, place.at("volumeNamespace"));
  checkSecretName(source.secretRef, place);
};

export const checkCsi: Check<corev1.CSIVolumeSource> = (source, place) => {
  checkDriverName(source.driver, place.at("driver"));
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  if (isAbsent(secret.name)) place.at("nodePublishSecretRef", "name").required();
  else place.at("name").invalidFor(secret.name, validateDns1123Subdomain(secret.name));
};

const longestDriverName = 63;

/** Of a CSI driver, wherever it is named. */
export const checkDriverName: Check<string> = (name, place) => {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  if (name.length > longestDriverName) place.tooLong(longestDriverName);
  place.invalidFor(name, validateDns1123Subdomain(name.toLowerCase()));
};

export const checkEphemeral: Check<corev1.EphemeralVolumeSource> = ({ volumeClaimTemplate }, place) => {
  const templatePlace = place.at("volumeClaimTemplate");
  if (volumeClaimTemplate === undefined) {
    templatePlace.required();
    return;
  }
  const metadataPlace = templatePlace.at("metadata");
  const { annotations, labels, ...others } = volumeClaimTemplate.metadata ?? {};
  checkAnnotations(annotations, metadataPlace.at("annotations"));
  checkLabels(labels, metadataPlace.at("labels"));
  for (const field of metadataFields) {
    if (field in others) metadataPlace.at(goSpelling(field)).forbidden("cannot be set");
  }
  checkClaimSpec(volumeClaimTemplate.spec, templatePlace.at("spec"));
};

const metadataFields = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

/** The path is told by the Go name with a small first letter. */
function goSpelling(field: string): string {
  return field === "uid" ? "uID" : field;
}

export interface ImageSourceOptions {
  /** A template may leave it to whoever makes pods of it. */
  readonly needsReference: boolean;
}

export function checkImage(
  source: corev1.ImageVolumeSource,
  place: FaultPlace,
  { needsReference }: ImageSourceOptions,
): void {
  if (needsReference) checkPresent(source.reference, place.at("reference"));
  checkChoice(source.pullPolicy, place.at("pullPolicy"), pullPolicies);
}
