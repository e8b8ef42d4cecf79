// What must hold of each type of volume a pod can have.
import { type corev1, quantitySign, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkChoice, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import { checkClaimSpec } from "../shared/claim-spec.ts";
import { checkAnnotations, checkLabels } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkFieldReference, checkResourceReference, volumeFields } from "./field-references.ts";
import { checkFileMode, checkLocalPath, checkNoBacksteps } from "./file-paths.ts";
import { checkFields, type SourceCheck } from "./source-check.ts";

/** Persistent volumes have these types too. */
export {
  checkAwsDisk,
  checkAzureDisk,
  checkFibreChannel,
  checkFlexVolume,
  checkFlocker,
  checkGcePersistentDisk,
  checkMonitors,
  checkPhoton,
  checkPortworx,
  checkQuobyte,
  checkScaleIo,
  checkVsphere,
} from "./check-old-volume-sources.ts";

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

export const checkEmptyDir: SourceCheck<corev1.EmptyDirVolumeSource> = ({ sizeLimit }, fldPath) => {
  if (sizeLimit !== undefined && quantitySign(sizeLimit) < 0) {
    fldPath.at("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity");
  }
};

export const checkHostPath: SourceCheck<corev1.HostPathVolumeSource> = (source, fldPath) => {
  const pathFldPath = fldPath.at("path");
  if (isAbsent(source.path)) {
    pathFldPath.required();
    return;
  }
  checkNoBacksteps(source.path, pathFldPath);
  checkOptionalChoice(source.type, fldPath.at("type"), hostPathTypes);
};

export const checkSecret: SourceCheck<corev1.SecretVolumeSource> = (source, fldPath) => {
  checkPresent(source.secretName, fldPath.at("secretName"));
  checkFileMode(source.defaultMode, fldPath.at("defaultMode"));
  checkKeys(source.items, fldPath.at("items"));
};

export const checkConfigMap: SourceCheck<corev1.ConfigMapVolumeSource> = (source, fldPath) => {
  checkPresent(source.name, fldPath.at("name"));
  checkFileMode(source.defaultMode, fldPath.at("defaultMode"));
  checkKeys(source.items, fldPath.at("items"));
};

function checkKeys(items: readonly corev1.KeyToPath[] | undefined, fldPath: ValidationPath): void {
  for (const [i, item] of (items ?? []).entries()) checkKey(item, fldPath.item(i));
}

export function checkKey(item: corev1.KeyToPath, fldPath: ValidationPath): void {
  checkPresent(item.key, fldPath.at("key"));
  checkPresent(item.path, fldPath.at("path"));
  checkLocalPath(item.path ?? "", fldPath.at("path"));
  checkFileMode(item.mode, fldPath.at("mode"));
}

export const checkNfs: SourceCheck<corev1.NFSVolumeSource> = (source, fldPath) => {
  checkPresent(source.server, fldPath.at("server"));
  checkPresent(source.path, fldPath.at("path"));
  if (source.path?.startsWith("/") !== true) {
    fldPath.at("path").invalid(source.path ?? "", "must be an absolute path");
  }
};

export const checkClaim = checkFields("claimName");

export const checkDownwardApi: SourceCheck<corev1.DownwardAPIVolumeSource> = (source, fldPath) => {
  checkFileMode(source.defaultMode, fldPath.at("defaultMode"));
  for (const file of source.items ?? []) checkDownwardApiFile(file, fldPath);
};

/** Its faults are reported at the volume, not at the file. */
export const checkDownwardApiFile: SourceCheck<corev1.DownwardAPIVolumeFile> = (file, fldPath) => {
  const { fieldRef, resourceFieldRef } = file;
  checkPresent(file.path, fldPath.at("path"));
  checkLocalPath(file.path ?? "", fldPath.at("path"));
  if (fieldRef !== undefined) {
    checkFieldReference(fieldRef, fldPath.at("fieldRef"), volumeFields);
    if (resourceFieldRef !== undefined) {
      const why = "fieldRef and resourceFieldRef can not be specified simultaneously";
      fldPath.invalid("resource", why);
    }
  } else if (resourceFieldRef !== undefined) {
    const options = { needsContainer: true };
    checkResourceReference(resourceFieldRef, fldPath.at("resourceFieldRef"), options);
  } else {
    fldPath.required("one of fieldRef and resourceFieldRef is required");
  }
  checkFileMode(file.mode, fldPath.at("mode"));
};

export const checkCsi: SourceCheck<corev1.CSIVolumeSource> = (source, fldPath) => {
  checkDriverName(source.driver, fldPath.at("driver"));
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  if (isAbsent(secret.name)) fldPath.at("nodePublishSecretRef", "name").required();
  else fldPath.at("name").invalidFor(secret.name, validateDns1123Subdomain(secret.name));
};

const longestDriverName = 63;

/** Of a CSI driver, wherever it is named. */
export const checkDriverName: SourceCheck<string> = (name, fldPath) => {
  if (isAbsent(name)) {
    fldPath.required();
    return;
  }
  if (name.length > longestDriverName) fldPath.tooLong(longestDriverName);
  fldPath.invalidFor(name, validateDns1123Subdomain(name.toLowerCase()));
};

export const checkEphemeral: SourceCheck<corev1.EphemeralVolumeSource> = ({ volumeClaimTemplate }, fldPath) => {
  const templatePath = fldPath.at("volumeClaimTemplate");
  if (volumeClaimTemplate === undefined) {
    templatePath.required();
    return;
  }
  const metadataPath = templatePath.at("metadata");
  const { annotations, labels, ...others } = volumeClaimTemplate.metadata ?? {};
  checkAnnotations(annotations, metadataPath.at("annotations"));
  checkLabels(labels, metadataPath.at("labels"));
  for (const field of metadataFields) {
    if (field in others) metadataPath.at(goSpelling(field)).forbidden("cannot be set");
  }
  checkClaimSpec(volumeClaimTemplate.spec, templatePath.at("spec"));
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

/** The path is reported by the Go name with a small first letter. */
function goSpelling(field: string): string {
  return field === "uid" ? "uID" : field;
}

export interface ImageSourceOptions {
  /** A template may leave it to whoever makes pods of it. */
  readonly needsReference: boolean;
}

export function checkImage(
  source: corev1.ImageVolumeSource,
  fldPath: ValidationPath,
  { needsReference }: ImageSourceOptions,
): void {
  if (needsReference) checkPresent(source.reference, fldPath.at("reference"));
  checkChoice(source.pullPolicy, fldPath.at("pullPolicy"), pullPolicies);
}
