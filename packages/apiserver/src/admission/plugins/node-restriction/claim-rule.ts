// PersistentVolumeClaims: a kubelet that has resized a volume says so in the claim's status, and changes nothing else.
import { type corev1, quote } from "@kubeloop/core/api";
import { internalDiff } from "../../../kinds/core/pods/internal-diff.ts";
import { isSame } from "../../../kinds/shared/same.ts";
import type { NodeRule } from "./node-rule.ts";

type Claim = corev1.PersistentVolumeClaim;

const schemaName = "io.k8s.api.core.v1.PersistentVolumeClaim";

export const claimRule: NodeRule = async ({ nodeName, attributes }) => {
  const { operation, subresource, object, oldObject } = attributes;
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation ${quote(operation)}`;
  const [before, after] = [withoutOwnFields(oldObject as Claim), withoutOwnFields(object as unknown as Claim)];
  if (isSame(before, after, schemaName)) return undefined;
  const diff = internalDiff(before, after, "PersistentVolumeClaim");
  return `node ${quote(nodeName)} is not allowed to update fields other than status.quantity and status.conditions: ${diff}`;
};

/** Returns the claim without what a node may change, and without what differs on its own: the version and the field managers. */
function withoutOwnFields({ metadata, status = {}, ...claim }: Claim): object {
  const { resourceVersion: _version, managedFields: _managers, ...meta } = metadata;
  const { capacity: _capacity, conditions: _conditions, allocatedResources: _resources, ...rest } = status;
  const { allocatedResourceStatuses: _statuses, ...kept } = rest;
  return { ...claim, metadata: meta, status: kept };
}
