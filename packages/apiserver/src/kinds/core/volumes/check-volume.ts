// What must hold of a volume, and what of it may change: nearly nothing.
import { posix } from "node:path";
import { type corev1, quantitySign, quantityValue, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkOptionalChoice, isAbsent } from "../../shared/checks.ts";
import { accessModes, volumeModes } from "../../shared/claim-spec.ts";
import { internalForm } from "../../shared/internal-form.ts";
import type { SelectorOptions } from "../../shared/labels.ts";
import { checkNodeSelector } from "../../shared/node-selector.ts";
import type { ObjectPaths } from "../../shared/object-faults.ts";
import { checkPositiveQuantity } from "../../shared/quantities.ts";
import { checkImmutable, isSame } from "../../shared/same.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { internalDiff } from "../pods/internal-diff.ts";
import { checkSources, sourceFields } from "./check-sources.ts";

type Volume = corev1.PersistentVolume;
type Spec = corev1.PersistentVolumeSpec;

const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const mountOptions = "volume.beta.kubernetes.io/mount-options";

/** Those an annotation with options for mounting means something to. */
const mountedTypes = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

export function checkVolume(volume: Volume, at: ObjectPaths, options: SelectorOptions = {}): void {
  const { metadata, spec = {} } = volume;
  const fldPath = at("spec");
  checkAccessModes(spec.accessModes ?? [], fldPath.at("accessModes"));
  checkCapacity(spec.capacity ?? {}, fldPath.at("capacity"));
  if (!isAbsent(spec.persistentVolumeReclaimPolicy)) {
    checkOptionalChoice(
      spec.persistentVolumeReclaimPolicy,
      fldPath.at("persistentVolumeReclaimPolicy"),
      reclaimPolicies,
    );
  }
  checkAffinity(spec.nodeAffinity, fldPath.at("nodeAffinity"), options);
  checkSources(volume, fldPath);
  checkRecycledRoot(spec, fldPath.at("persistentVolumeReclaimPolicy"));
  const { storageClassName, volumeMode } = spec;
  if (!isAbsent(storageClassName)) {
    fldPath.at("storageClassName").invalidFor(storageClassName, validateDns1123Subdomain(storageClassName));
  }
  checkOptionalChoice(volumeMode, fldPath.at("volumeMode"), volumeModes);
  checkAttributesClass(spec, fldPath);
  const isMounted = mountedTypes.some((type) => spec[type] !== undefined);
  if (!isMounted && metadata.annotations?.[mountOptions] !== undefined) {
    const why = "may not specify mount options for this volume type";
    at("metadata").at("annotations", mountOptions).forbidden(why);
  }
}

export function checkAccessModes(modes: readonly string[], fldPath: ValidationPath): void {
  if (modes.length === 0) fldPath.required();
  for (const mode of modes) if (!accessModes.includes(mode)) fldPath.notSupported(mode, accessModes);
  const isMixed = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && isMixed) {
    fldPath.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

function checkCapacity(capacity: Readonly<Record<string, string>>, fldPath: ValidationPath): void {
  const names = Object.keys(capacity);
  if (names.length === 0) fldPath.required();
  if (names.length !== 1 || names[0] !== "storage") {
    fldPath.notSupported(names.length === 0 ? null : capacity, ["storage"]);
  }
  for (const [name, amount] of Object.entries(capacity)) {
    if (quantitySign(amount) < 0 && quantityValue(amount) < 0n) {
      fldPath.item(name).invalid(Number(quantityValue(amount)), "must be a valid resource quantity");
    }
    checkPositiveQuantity(amount, fldPath.item(name));
  }
}

function checkAffinity(
  affinity: corev1.VolumeNodeAffinity | undefined,
  fldPath: ValidationPath,
  options: SelectorOptions,
): void {
  if (affinity === undefined) return;
  if (affinity.required === undefined) fldPath.at("required").required("must specify required node constraints");
  else checkNodeSelector(affinity.required, fldPath.at("required"), options);
}

/** Nobody's machine is to be wiped. */
export function checkRecycledRoot({ hostPath, persistentVolumeReclaimPolicy }: Spec, fldPath: ValidationPath): void {
  if (hostPath === undefined || persistentVolumeReclaimPolicy !== "Recycle") return;
  if (posix.resolve("/", hostPath.path) === "/" && hostPath.path.startsWith("/")) {
    fldPath.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  }
}

function checkAttributesClass({ volumeAttributesClassName: name, csi }: Spec, fldPath: ValidationPath): void {
  if (name === undefined) return;
  const namePath = fldPath.at("volumeAttributesClassName");
  if (name === "") namePath.required("an empty string is disallowed");
  else namePath.invalidFor(name, validateDns1123Subdomain(name));
  if (csi === undefined) fldPath.at("csi").required("has to be specified when using volumeAttributesClassName");
}

export function checkVolumeChange({ spec = {} }: Volume, { spec: old = {} }: Volume, at: ObjectPaths): void {
  const source = sourceOf(withoutNewSecret(spec, old));
  const oldSource = sourceOf(old);
  if (!isSame(source, oldSource)) {
    const diff = internalDiff(oldSource, source, "PersistentVolumeSource");
    at("spec")
      .at("persistentvolumesource")
      .forbidden(`spec.persistentvolumesource is immutable after creation\n${diff}`);
  }
  checkImmutable(spec.volumeMode, old.volumeMode, at("volumeMode"));
  if (old.nodeAffinity !== undefined && !isSame(spec.nodeAffinity, renewed(old.nodeAffinity, spec.nodeAffinity))) {
    const shown = internalForm(spec.nodeAffinity, "VolumeNodeAffinity");
    at("nodeAffinity").invalid(shown, "field is immutable, except for updating from beta label to GA");
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    at("spec").at("volumeAttributesClassName").forbidden("update from non-nil value to nil is forbidden");
  }
}

/** The secret for growing may be named later. */
function withoutNewSecret(spec: Spec, old: Spec): Spec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _named, ...csi } = spec.csi;
  return { ...spec, csi };
}

function sourceOf(spec: Spec): Readonly<Record<string, unknown>> {
  return Object.fromEntries(sourceFields.filter((type) => spec[type] !== undefined).map((type) => [type, spec[type]]));
}

const newLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** The old affinity with the new names of labels, where the new one has them. */
function renewed(old: corev1.VolumeNodeAffinity, affinity: corev1.VolumeNodeAffinity | undefined): unknown {
  const terms = old.required?.nodeSelectorTerms ?? [];
  const newTerms = affinity?.required?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return old;
  const nodeSelectorTerms = terms.map((term, i) => {
    const { matchExpressions } = term;
    if (matchExpressions === undefined) return term;
    const expressions = matchExpressions.map((expression, j) => {
      const key = newTerms[i]?.matchExpressions?.[j]?.key;
      return key !== undefined && newLabels[expression.key] === key ? { ...expression, key } : expression;
    });
    return { ...term, matchExpressions: expressions };
  });
  return { ...old, required: { ...old.required, nodeSelectorTerms } };
}
