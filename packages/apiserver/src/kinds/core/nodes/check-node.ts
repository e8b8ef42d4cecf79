// What must hold of a node, and what may become of it.
import { type corev1, quote, validateLabelValue } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";
import { checkLegacyCidr, parseCidr } from "../../shared/cidr.ts";
import { checkLabelName } from "../../shared/labels.ts";
import type { ObjectPaths } from "../../shared/object-faults.ts";
import { checkResourceQuantity } from "../../shared/quantities.ts";
import { isSame } from "../../shared/same.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";

type Node = corev1.Node;

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const onlyFromNothing = (field: string) => `node updates may not change ${field} except from "" to valid`;

export function checkNode(node: Node, at: ObjectPaths): void {
  const { spec = {}, status = {} } = node;
  // Where upstream looks for taints and swap is not where they are.
  checkTaints(spec.taints ?? [], at("metadata").at("taints"));
  checkResources(status, at("status"));
  const swap = status.nodeInfo?.swap?.capacity;
  if (swap !== undefined && swap <= 0) {
    at("metadata").at("nodeSwapStatus", "capacity").invalid(swap, "must be greater than zero");
  }
  checkDeclaredFeatures(status.declaredFeatures ?? [], at("status").at("declaredFeatures"));
  checkPodCidrs(spec.podCIDRs ?? [], at("spec").at("podCIDRs"));
}

export function checkNodeChange(node: Node, old: Node, at: ObjectPaths): void {
  const { spec = {}, status = {} } = node;
  const { spec: oldSpec = {} } = old;
  checkResources(status, at("status"));
  checkDeclaredFeatures(status.declaredFeatures ?? [], at("status").at("declaredFeatures"));
  checkAddresses(status.addresses ?? [], at("status").at("addresses"));
  const held = oldSpec.podCIDRs ?? [];
  if (held.length > 0 && !isSame(held, spec.podCIDRs)) {
    at("spec").at("podCIDRs").forbidden(onlyFromNothing("podCIDR"));
  }
  if (!isAbsent(oldSpec.providerID) && oldSpec.providerID !== spec.providerID) {
    at("spec").at("providerID").forbidden(onlyFromNothing("providerID"));
  }
  checkTaints(spec.taints ?? [], at("metadata").at("taints"));
  if ((spec.externalID ?? "") !== (oldSpec.externalID ?? ""))
    at("spec").at("externalID").forbidden("may not be updated");
}

function checkTaints(taints: readonly corev1.Taint[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const { key, value = "", effect } = taint;
    const taintPath = fldPath.item(i);
    checkLabelName(key, taintPath.at("key"));
    const reasons = validateLabelValue(value);
    if (reasons.length > 0) taintPath.at("value").invalid(value, reasons.join(";"));
    if (isAbsent(effect)) taintPath.at("effect").required();
    else if (!effects.includes(effect)) taintPath.at("effect").notSupported(effect, effects);
    const identity = `${effect}/${key}`;
    if (seen.has(identity)) reportTwice(taint, taintPath);
    seen.add(identity);
  }
}

function reportTwice({ key, value = "", effect, timeAdded }: corev1.Taint, fldPath: ValidationPath): void {
  fldPath.add({
    type: "FieldValueDuplicate",
    field: fldPath.print(),
    value: { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded ?? null },
    detail: "taints must be unique by key and effect pair",
  });
}

function checkResources(status: corev1.NodeStatus, fldPath: ValidationPath): void {
  for (const list of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status[list] ?? {})) {
      checkResourceQuantity(name, amount, fldPath.at(list, name));
    }
  }
}

function checkAddresses(addresses: readonly corev1.NodeAddress[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, { type, address }] of addresses.entries()) {
    const identity = `${type}/${address}`;
    if (seen.has(identity)) fldPath.item(i).duplicate({ Type: type, Address: address });
    seen.add(identity);
  }
}

function checkPodCidrs(cidrs: readonly string[], fldPath: ValidationPath): void {
  for (const [i, cidr] of cidrs.entries()) checkLegacyCidr(cidr, fldPath.item(i));
  if (cidrs.length < 2) return;
  const bad = cidrs.findIndex((cidr) => parseCidr(cidr) === undefined);
  if (bad >= 0) {
    const why = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`;
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    fldPath.add({ type: "InternalError", field: fldPath.print(), detail });
  }
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.family));
  if (families.size !== cidrs.length || families.has(undefined) || cidrs.length > 2) {
    fldPath.invalid(cidrs, "may specify no more than one CIDR for each IP family");
  }
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const longestFeature = 253;

function featureFault(feature: string): string | undefined {
  if (feature.length > longestFeature) return `must be no more than ${longestFeature} characters`;
  if (featureName.test(feature)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

/** Sorted, each once. */
function checkDeclaredFeatures(features: readonly string[], fldPath: ValidationPath): void {
  for (const [i, feature] of features.entries()) {
    const fault = featureFault(feature);
    if (fault !== undefined) fldPath.item(i).invalid(feature, `invalid feature name ${quote(feature)}: ${fault}`);
    const next = features[i + 1];
    if (next === undefined || feature < next) continue;
    if (feature === next) fldPath.item(i + 1).duplicate(next);
    else fldPath.item(i + 1).invalid(next, "list must be sorted alphabetically");
  }
}
