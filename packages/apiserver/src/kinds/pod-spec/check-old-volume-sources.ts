// Types of volumes that drivers provide today, and that have been in pods for ever.
import type { corev1 } from "@kubeloop/core/api";
import { checkDnsLabel, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { isIscsiName } from "../shared/iscsi-name.ts";
import { checkDescendingPath } from "./file-paths.ts";
import { checkFields, rangeText, type SourceCheck } from "./source-check.ts";

export const checkGitRepo: SourceCheck<corev1.GitRepoVolumeSource> = (source, place) => {
  checkPresent(source.repository, place.at("repository"));
  checkDescendingPath(source.directory ?? "", place.at("directory"));
};

export const checkGcePersistentDisk: SourceCheck<corev1.GCEPersistentDiskVolumeSource> = (source, place) => {
  checkPresent(source.pdName, place.at("pdName"));
  checkPartition(source.partition, place.at("partition"));
};

export const checkAwsDisk: SourceCheck<corev1.AWSElasticBlockStoreVolumeSource> = (source, place) => {
  checkPresent(source.volumeID, place.at("volumeID"));
  checkPartition(source.partition, place.at("partition"));
};

/** Zero stands for none; the text says otherwise. */
function checkPartition(partition: number | undefined, place: FaultPlace): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) {
    place.invalid(partition, rangeText(1, 255));
  }
}

export const checkIscsi: SourceCheck<corev1.ISCSIVolumeSource> = (source, place) => {
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

function checkIscsiName(name: string, place: FaultPlace): void {
  const isName = isIscsiName(name);
  if (isName === undefined) place.invalid(name, "must be valid format starting with iqn, eui, or naa");
  else if (!isName) place.invalid(name, "must be valid format");
}

export const checkGlusterfs = checkFields("endpoints", "path");

export const checkFlocker: SourceCheck<corev1.FlockerVolumeSource> = ({ datasetName, datasetUUID }, place) => {
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

export const checkRbd: SourceCheck<corev1.RBDVolumeSource> = (source, place) => {
  checkMonitors(source, place);
  checkPresent(source.image, place.at("image"));
};

export const checkMonitors: SourceCheck<{ readonly monitors: readonly string[] }> = ({ monitors }, place) => {
  if ((monitors ?? []).length === 0) place.at("monitors").required();
};

export const checkCinder: SourceCheck<corev1.CinderVolumeSource> = (source, place) => {
  checkPresent(source.volumeID, place.at("volumeID"));
  checkSecretName(source.secretRef, place);
};

function checkSecretName(secretRef: corev1.LocalObjectReference | undefined, place: FaultPlace): void {
  if (secretRef !== undefined) checkPresent(secretRef.name, place.at("secretRef", "name"));
}

export const checkQuobyte: SourceCheck<corev1.QuobyteVolumeSource> = ({ registry, tenant = "", volume }, place) => {
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

export const checkFibreChannel: SourceCheck<corev1.FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, place) => {
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

export const checkFlexVolume: SourceCheck<corev1.FlexVolumeSource> = (source, place) => {
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

export const checkAzureDisk: SourceCheck<corev1.AzureDiskVolumeSource> = (source, place) => {
  const { diskURI = "", kind } = source;
  checkPresent(source.diskName, place.at("diskName"));
  checkPresent(diskURI, place.at("diskURI"));
  checkOptionalChoice(source.cachingMode, place.at("cachingMode"), ["None", "ReadOnly", "ReadWrite"]);
  checkOptionalChoice(kind, place.at("kind"), ["Dedicated", "Managed", "Shared"]);
  if (kind === undefined) return;
  const [start, shape] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  if (!diskURI.startsWith(start)) place.at("diskURI").notSupported(diskURI, [shape]);
};

export const checkStorageOs: SourceCheck<corev1.StorageOSVolumeSource> = (source, place) => {
  const { volumeName, volumeNamespace } = source;
  const namePlace = place.at("volumeName");
  if (isAbsent(volumeName)) namePlace.required();
  else checkDnsLabel(volumeName, namePlace);
  if (!isAbsent(volumeNamespace)) checkDnsLabel(volumeNamespace, place.at("volumeNamespace"));
  checkSecretName(source.secretRef, place);
};
