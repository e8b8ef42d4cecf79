// Types of volumes that drivers provide today, and that have been in pods for ever.
import type { corev1 } from "@kubeloop/core/api";
import { checkDnsLabel, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import { isIscsiName } from "../shared/iscsi-name.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkDescendingPath } from "./file-paths.ts";
import { checkFields, rangeText, type SourceCheck } from "./source-check.ts";

export const checkGitRepo: SourceCheck<corev1.GitRepoVolumeSource> = (source, fldPath) => {
  checkPresent(source.repository, fldPath.at("repository"));
  checkDescendingPath(source.directory ?? "", fldPath.at("directory"));
};

export const checkGcePersistentDisk: SourceCheck<corev1.GCEPersistentDiskVolumeSource> = (source, fldPath) => {
  checkPresent(source.pdName, fldPath.at("pdName"));
  checkPartition(source.partition, fldPath.at("partition"));
};

export const checkAwsDisk: SourceCheck<corev1.AWSElasticBlockStoreVolumeSource> = (source, fldPath) => {
  checkPresent(source.volumeID, fldPath.at("volumeID"));
  checkPartition(source.partition, fldPath.at("partition"));
};

/** Zero stands for none; the text says otherwise. */
function checkPartition(partition: number | undefined, fldPath: ValidationPath): void {
  if (partition !== undefined && (partition < 0 || partition > 255)) {
    fldPath.invalid(partition, rangeText(1, 255));
  }
}

export const checkIscsi: SourceCheck<corev1.ISCSIVolumeSource> = (source, fldPath) => {
  checkPresent(source.targetPortal, fldPath.at("targetPortal"));
  if (isAbsent(source.iqn)) fldPath.at("iqn").required();
  else checkIscsiName(source.iqn, fldPath.at("iqn"));
  const lun = source.lun ?? 0;
  if (lun < 0 || lun > 255) fldPath.at("lun").invalid(lun, rangeText(0, 255));
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && source.secretRef === undefined) {
    fldPath.at("secretRef").required();
  }
  const { initiatorName } = source;
  if (initiatorName !== undefined) checkIscsiName(initiatorName, fldPath.at("initiatorname"));
};

function checkIscsiName(name: string, fldPath: ValidationPath): void {
  const isName = isIscsiName(name);
  if (isName === undefined) fldPath.invalid(name, "must be valid format starting with iqn, eui, or naa");
  else if (!isName) fldPath.invalid(name, "must be valid format");
}

export const checkGlusterfs = checkFields("endpoints", "path");

export const checkFlocker: SourceCheck<corev1.FlockerVolumeSource> = ({ datasetName, datasetUUID }, fldPath) => {
  const [hasName, hasUuid] = [!isAbsent(datasetName), !isAbsent(datasetUUID)];
  if (!hasName && !hasUuid) fldPath.required("one of datasetName and datasetUUID is required");
  if (hasName && hasUuid) {
    const why = "datasetName and datasetUUID can not be specified simultaneously";
    fldPath.invalid("resource", why);
  }
  if (datasetName?.includes("/") === true) {
    fldPath.at("datasetName").invalid(datasetName, "must not contain '/'");
  }
};

export const checkRbd: SourceCheck<corev1.RBDVolumeSource> = (source, fldPath) => {
  checkMonitors(source, fldPath);
  checkPresent(source.image, fldPath.at("image"));
};

export const checkMonitors: SourceCheck<{ readonly monitors: readonly string[] }> = ({ monitors }, fldPath) => {
  if ((monitors ?? []).length === 0) fldPath.at("monitors").required();
};

export const checkCinder: SourceCheck<corev1.CinderVolumeSource> = (source, fldPath) => {
  checkPresent(source.volumeID, fldPath.at("volumeID"));
  checkSecretName(source.secretRef, fldPath);
};

function checkSecretName(secretRef: corev1.LocalObjectReference | undefined, fldPath: ValidationPath): void {
  if (secretRef !== undefined) checkPresent(secretRef.name, fldPath.at("secretRef", "name"));
}

export const checkQuobyte: SourceCheck<corev1.QuobyteVolumeSource> = ({ registry, tenant = "", volume }, fldPath) => {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (isAbsent(registry)) {
    fldPath.at("registry").required(pairs);
  } else if (tenant.length >= 65) {
    const why = "must be a UUID and may not exceed a length of 64 characters";
    fldPath.at("tenant").required(why);
  } else {
    for (const pair of registry.split(",")) {
      if (!isHostAndPort(pair)) fldPath.at("registry").invalid(registry, pairs);
    }
  }
  checkPresent(volume, fldPath.at("volume"));
};

function isHostAndPort(text: string): boolean {
  return /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(text);
}

export const checkFibreChannel: SourceCheck<corev1.FCVolumeSource> = (
  { targetWWNs = [], wwids = [], lun },
  fldPath,
) => {
  const targetPath = fldPath.at("targetWWNs");
  if (targetWWNs.length === 0 && wwids.length === 0) {
    targetPath.required("must specify either targetWWNs or wwids, but not both");
  }
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0) {
    const why = "targetWWNs and wwids can not be specified simultaneously";
    targetPath.invalid(targetWWNs, why);
  }
  const lunPath = fldPath.at("lun");
  if (lun === undefined) lunPath.required("lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) lunPath.invalid(lun, rangeText(0, 255));
};

export const checkFlexVolume: SourceCheck<corev1.FlexVolumeSource> = (source, fldPath) => {
  checkPresent(source.driver, fldPath.at("driver"));
  for (const option of Object.keys(source.options ?? {})) {
    const domain = `.${option.split("/", 1)[0]?.toLowerCase()}`;
    if (!domain.endsWith(".kubernetes.io") && !domain.endsWith(".k8s.io")) continue;
    const why = "kubernetes.io and k8s.io namespaces are reserved";
    fldPath.at("options").item(option).invalid(option, why);
  }
};

export const checkAzureFile = checkFields("secretName", "shareName");
export const checkVsphere = checkFields("volumePath");
export const checkPhoton = checkFields("pdID");
export const checkPortworx = checkFields("volumeID");
export const checkScaleIo = checkFields("gateway", "system", "volumeName");

const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export const checkAzureDisk: SourceCheck<corev1.AzureDiskVolumeSource> = (source, fldPath) => {
  const { diskURI = "", kind } = source;
  checkPresent(source.diskName, fldPath.at("diskName"));
  checkPresent(diskURI, fldPath.at("diskURI"));
  checkOptionalChoice(source.cachingMode, fldPath.at("cachingMode"), ["None", "ReadOnly", "ReadWrite"]);
  checkOptionalChoice(kind, fldPath.at("kind"), ["Dedicated", "Managed", "Shared"]);
  if (kind === undefined) return;
  const [start, shape] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  if (!diskURI.startsWith(start)) fldPath.at("diskURI").notSupported(diskURI, [shape]);
};

export const checkStorageOs: SourceCheck<corev1.StorageOSVolumeSource> = (source, fldPath) => {
  const { volumeName, volumeNamespace } = source;
  const namePath = fldPath.at("volumeName");
  if (isAbsent(volumeName)) namePath.required();
  else checkDnsLabel(volumeName, namePath);
  if (!isAbsent(volumeNamespace)) checkDnsLabel(volumeNamespace, fldPath.at("volumeNamespace"));
  checkSecretName(source.secretRef, fldPath);
};
