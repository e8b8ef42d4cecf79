// What may become of a claim: a volume once, a storage class where none was named, more storage and another class of attributes when it is
// bound. And what its status may say.
import {
  compareQuantities,
  type corev1,
  quantityValue,
  validateDns1123Subdomain,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import type { ClaimSpecOptions } from "../../shared/claim-spec.ts";
import { hasInvalidLabelValue } from "../../shared/labels.ts";
import type { ObjectPaths } from "../../shared/object-faults.ts";
import { checkResourceQuantity } from "../../shared/quantities.ts";
import { isNativeResource } from "../../shared/resource-names.ts";
import { checkImmutable, isSame } from "../../shared/same.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import { internalDiff } from "../pods/internal-diff.ts";
import { oldClassAnnotation } from "./print-storage.ts";

type Claim = corev1.PersistentVolumeClaim;
type Spec = corev1.PersistentVolumeClaimSpec;

const schemaName = "io.k8s.api.core.v1.PersistentVolumeClaimSpec";
const mostlyFixed =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** What was stored by an older server may stay. */
export function claimOptions({ selector, dataSource, dataSourceRef }: Spec): ClaimSpecOptions {
  const isOdd = (group: string | undefined) => !isAbsent(group) && validateDns1123Subdomain(group).length > 0;
  return {
    allowsInvalidValues: hasInvalidLabelValue(selector),
    allowsInvalidSourceGroup: isOdd(dataSource?.apiGroup) || isOdd(dataSourceRef?.apiGroup),
  };
}

export function checkClaimChange(claim: Claim, old: Claim, at: ObjectPaths): void {
  const { spec = {} } = claim;
  const { spec: oldSpec = {} } = old;
  const compared = comparedSpecs(claim, old, at);
  if (!isSame(compared.after, compared.before, schemaName)) {
    const diff = internalDiff(compared.before, compared.after, "PersistentVolumeClaimSpec");
    at("spec").forbidden(`${mostlyFixed}\n${diff}`);
  }
  const size = spec.resources?.requests?.["storage"] ?? "0";
  const isSmaller = compareQuantities(size, oldSpec.resources?.requests?.["storage"] ?? "0") < 0;
  // Who asked for too much may ask for less, but not for less than there is.
  if (isSmaller && compareQuantities(size, old.status?.capacity?.["storage"] ?? "0") <= 0) {
    at("spec").at("resources", "requests", "storage").forbidden("field can not be less than status.capacity");
  }
  checkImmutable(spec.volumeMode, oldSpec.volumeMode, at("volumeMode"));
  checkAttributesClass(spec, old, at("spec").at("volumeAttributesClassName"));
}

/** The specs without what may change. */
function comparedSpecs(claim: Claim, old: Claim, at: ObjectPaths): { readonly after: Spec; readonly before: Spec } {
  const { spec: after = {} } = claim;
  const { spec: before = {} } = old;
  const same: Spec = { ...after };
  const held: Record<string, unknown> = { ...before };
  if (isAbsent(before.volumeName)) setField(held, "volumeName", after.volumeName);
  const changed = same as Record<string, unknown>;
  if (mayNameClass(claim, old, at)) setField(changed, "storageClassName", before.storageClassName);
  if (claim.status?.phase === "Bound") {
    setField(changed, "volumeAttributesClassName", before.volumeAttributesClassName);
    const { resources } = after;
    const storage = before.resources?.requests?.["storage"];
    if (resources?.requests !== undefined && storage !== undefined) {
      changed["resources"] = { ...resources, requests: { ...resources.requests, storage } };
    }
  }
  return { after: same, before: held as Spec };
}

function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete fields[name];
  else fields[name] = value;
}

/** A class may be named where none was, or as the annotation did that once named classes; the annotation itself stays. */
function mayNameClass(claim: Claim, old: Claim, at: ObjectPaths): boolean {
  const name = claim.spec?.storageClassName;
  const annotated = claim.metadata.annotations?.[oldClassAnnotation];
  const oldAnnotated = old.metadata.annotations?.[oldClassAnnotation];
  const isFirst = old.spec?.storageClassName === undefined;
  const isMoved = oldAnnotated !== undefined && isFirst && name === oldAnnotated;
  if (isMoved && (annotated === undefined || annotated === oldAnnotated)) return true;
  if ((annotated ?? "") !== (oldAnnotated ?? "")) {
    at("metadata")
      .at("annotations", oldClassAnnotation)
      .invalid(annotated ?? "", "field is immutable");
  }
  return name !== undefined && isFirst && (oldAnnotated === undefined || name === oldAnnotated);
}

function checkAttributesClass(spec: Spec, { spec: oldSpec = {}, status }: Claim, fldPath: ValidationPath): void {
  const name = spec.volumeAttributesClassName;
  if (name === oldSpec.volumeAttributesClassName || status?.currentVolumeAttributesClassName === undefined) return;
  const why = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (name === undefined) fldPath.forbidden(`update to nil ${why}`);
  else if (name === "") fldPath.forbidden(`update to empty string ${why}`);
}

export function checkClaimStatus({ spec = {}, status = {} }: Claim, at: ObjectPaths): void {
  if ((spec.accessModes ?? []).length === 0) at("Spec").at("accessModes").required();
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    checkAmount(amount, at("status").at("capacity").item(name));
  }
  const statesPath = at("status").at("allocatedResourceStatuses");
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    checkResourceKey(name, statesPath);
    if (!resizeStates.includes(state)) statesPath.notSupported(name, resizeStates);
  }
  const amountsPath = at("status").at("allocatedResources");
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    if (!checkResourceKey(name, amountsPath)) continue;
    if (checkAmount(amount, amountsPath.item(name))) checkResourceQuantity("storage", amount, amountsPath.item(name));
  }
}

function checkAmount(amount: string, fldPath: ValidationPath): boolean {
  const value = quantityValue(amount);
  if (value >= 0n) return true;
  fldPath.invalid(Number(value), "must be a valid resource quantity");
  return false;
}

/** Storage, or something of somebody's own. */
function checkResourceKey(name: string, fldPath: ValidationPath): boolean {
  const reasons = validateQualifiedName(name);
  fldPath.invalidFor(name, reasons);
  if (reasons.length > 0) return false;
  if (name === "storage" || !isNativeResource(name)) return true;
  fldPath.notSupported(name, ["storage"]);
  return false;
}
