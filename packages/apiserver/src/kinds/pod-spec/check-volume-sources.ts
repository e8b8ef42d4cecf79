// What must hold of each type of volume a pod can have.
import { type corev1, quantitySign, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkChoice, checkOptionalChoice, checkPresent, isAbsent } from "../shared/checks.ts";
import { checkClaimSpec } from "../shared/claim-spec.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkAnnotations, checkLabels } from "../shared/labels.ts";
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

export const checkEmptyDir: SourceCheck<corev1.EmptyDirVolumeSource> = ({ sizeLimit }, place) => {
  if (sizeLimit !== undefined && quantitySign(sizeLimit) < 0) {
    place.at("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity");
  }
};

export const checkHostPath: SourceCheck<corev1.HostPathVolumeSource> = (source, place) => {
  const pathPlace = place.at("path");
  if (isAbsent(source.path)) {
    pathPlace.required();
    return;
  }
  checkNoBacksteps(source.path, pathPlace);
  checkOptionalChoice(source.type, place.at("type"), hostPathTypes);
};

export const checkSecret: SourceCheck<corev1.SecretVolumeSource> = (source, place) => {
  checkPresent(source.secretName, place.at("secretName"));
  checkFileMode(source.defaultMode, place.at("defaultMode"));
  checkKeys(source.items, place.at("items"));
};

export const checkConfigMap: SourceCheck<corev1.ConfigMapVolumeSource> = (source, place) => {
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

export const checkNfs: SourceCheck<corev1.NFSVolumeSource> = (source, place) => {
  checkPresent(source.server, place.at("server"));
  checkPresent(source.path, place.at("path"));
  if (source.path?.startsWith("/") !== true) {
    place.at("path").invalid(source.path ?? "", "must be an absolute path");
  }
};

export const checkClaim = checkFields("claimName");

export const checkDownwardApi: SourceCheck<corev1.DownwardAPIVolumeSource> = (source, place) => {
  checkFileMode(source.defaultMode, place.at("defaultMode"));
  for (const file of source.items ?? []) checkDownwardApiFile(file, place);
};

/** Its faults are told at the volume, not at the file. */
export const checkDownwardApiFile: SourceCheck<corev1.DownwardAPIVolumeFile> = (file, place) => {
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

export const checkCsi: SourceCheck<corev1.CSIVolumeSource> = (source, place) => {
  checkDriverName(source.driver, place.at("driver"));
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  if (isAbsent(secret.name)) place.at("nodePublishSecretRef", "name").required();
  else place.at("name").invalidFor(secret.name, validateDns1123Subdomain(secret.name));
};

const longestDriverName = 63;

/** Of a CSI driver, wherever it is named. */
export const checkDriverName: SourceCheck<string> = (name, place) => {
  if (isAbsent(name)) {
    place.required();
    return;
  }
  if (name.length > longestDriverName) place.tooLong(longestDriverName);
  place.invalidFor(name, validateDns1123Subdomain(name.toLowerCase()));
};

export const checkEphemeral: SourceCheck<corev1.EphemeralVolumeSource> = ({ volumeClaimTemplate }, place) => {
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
