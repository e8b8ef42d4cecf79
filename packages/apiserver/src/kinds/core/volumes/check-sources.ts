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
import type { FaultPlace } from "../../shared/fault-place.ts";
import { isIscsiName } from "../../shared/iscsi-name.ts";

type Volume = corev1.PersistentVolume;
type Spec = corev1.PersistentVolumeSpec;

interface SourceType {
  readonly field: keyof Spec;
  /** Where its own faults are told, if not at the field; and where it is told that there is another. */
  readonly place?: string;
  readonly surplusPlace?: string;
  check(spec: Spec, place: FaultPlace, volume: Volume): void;
}

function type<Field extends keyof Spec>(
  field: Field,
  check: (source: NonNullable<Spec[Field]>, place: FaultPlace, volume: Volume) => void,
  places: Pick<SourceType, "place" | "surplusPlace"> = {},
): SourceType {
  return {
    field,
    ...places,
    check: (spec, place, volume) => {
      const source = spec[field];
      if (source !== undefined && source !== null) check(source, place, volume);
    },
  };
}

/** In the order they are looked at: the first is checked, the others are too many. */
const types: readonly SourceType[] = [
  type("hostPath", checkHostPath),
  type("gcePersistentDisk", checkGcePersistentDisk, { place: "persistentDisk" }),
  type("awsElasticBlockStore", checkAwsDisk),
  type("glusterfs", checkGlusterfs),
  type("flocker", checkFlocker),
  type("nfs", checkNfs),
  type("rbd", (source, place) => {
    checkMonitors(source, place);
    checkPresent(source.image, place.at("image"));
  }),
  type("quobyte", checkQuobyte),
  type("cephfs", checkMonitors, { surplusPlace: "cephFS" }),
  type("iscsi", checkIscsi),
  type("cinder", (source, place) => {
    checkPresent(source.volumeID, place.at("volumeID"));
    checkSecret(source.secretRef, place.at("secretRef"));
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

export function checkSources(volume: Volume, place: FaultPlace): void {
  const { spec = {} } = volume;
  const given = types.filter(({ field }) => spec[field] !== undefined);
  if (given.length === 0) place.required("must specify a volume type");
  for (const [i, { field, place: ownPlace = field, surplusPlace = field, check }] of given.entries()) {
    // Flex volumes were forgotten where others are counted.
    if (i === 0 || field === "flexVolume") check(spec, place.at(ownPlace), volume);
    else place.at(surplusPlace).forbidden("may not specify more than 1 volume type");
  }
}

function checkGlusterfs(source: corev1.GlusterfsPersistentVolumeSource, place: FaultPlace): void {
  checkPresent(source.endpoints, place.at("endpoints"));
  checkPresent(source.path, place.at("path"));
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return;
  const namespacePlace = place.at("endpointsNamespace");
  if (namespace === "") {
    namespacePlace.invalid(namespace, "if the endpointnamespace is set, it must be a valid namespace name");
  } else {
    namespacePlace.invalidFor(namespace, validateDns1123Label(namespace));
  }
}

function checkIscsi(source: corev1.ISCSIPersistentVolumeSource, place: FaultPlace, { metadata }: Volume): void {
  const { targetPortal, iqn, lun = 0, secretRef, initiatorName } = source;
  checkPresent(targetPortal, place.at("targetPortal"));
  if (initiatorName !== undefined && `${metadata.name}:${targetPortal}`.length > 64) {
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    place.at("targetportal").invalid(targetPortal, why);
  }
  if (isAbsent(iqn)) place.at("iqn").required();
  else if (isIscsiName(iqn) !== true) place.at("iqn").invalid(iqn, "must be valid format");
  if (lun < 0 || lun > 255) place.at("lun").invalid(lun, "must be between 0 and 255, inclusive");
  const needsSecret = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (needsSecret && secretRef === undefined) place.at("secretRef").required();
  if (secretRef !== undefined) checkPresent(secretRef.name, place.at("secretRef", "name"));
  if (initiatorName !== undefined && isIscsiName(initiatorName) !== true) {
    place.at("initiatorname").invalid(initiatorName, "must be valid format");
  }
}

function checkAzureFile(source: corev1.AzureFilePersistentVolumeSource, place: FaultPlace): void {
  checkPresent(source.secretName, place.at("secretName"));
  checkPresent(source.shareName, place.at("shareName"));
  if (source.secretNamespace === "") place.at("secretNamespace").required();
}

function checkLocal({ path }: corev1.LocalVolumeSource, place: FaultPlace, { spec }: Volume): void {
  if (isAbsent(path)) place.at("path").required();
  else checkNoBacksteps(path, place.at("path"));
  if (spec?.nodeAffinity === undefined) {
    place.parent?.at("nodeAffinity").required("Local volume requires node affinity");
  }
}

function checkStorageOs(source: corev1.StorageOSPersistentVolumeSource, place: FaultPlace): void {
  const { volumeName, volumeNamespace, secretRef } = source;
  if (isAbsent(volumeName)) place.at("volumeName").required();
  else checkDnsLabel(volumeName, place.at("volumeName"));
  if (!isAbsent(volumeNamespace)) checkDnsLabel(volumeNamespace, place.at("volumeNamespace"));
  checkSecret(secretRef, place.at("secretRef"));
}

/** A secret must be found: by name and namespace. */
function checkSecret(
  secret: { readonly name?: string; readonly namespace?: string } | undefined,
  place: FaultPlace,
): void {
  if (secret === undefined) return;
  checkPresent(secret.name, place.at("name"));
  checkPresent(secret.namespace, place.at("namespace"));
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function checkCsi(source: corev1.CSIPersistentVolumeSource, place: FaultPlace): void {
  checkDriverName(source.driver, place.at("driver"));
  checkPresent(source.volumeHandle, place.at("volumeHandle"));
  for (const secret of csiSecrets) {
    const reference = source[secret];
    if (reference === undefined) continue;
    const { name, namespace } = reference;
    if (isAbsent(name)) place.at(secret, "name").required();
    else checkDnsSubdomain(name, place.at(secret, "name"));
    if (isAbsent(namespace)) place.at(secret, "namespace").required();
    else checkDnsLabel(namespace, place.at(secret, "namespace"));
  }
}
