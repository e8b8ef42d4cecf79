// Node: a machine. What it says about itself comes with it; what was assigned to it once (addresses for pods, an id) stays.
import type { corev1, Fault } from "@kubeloop/core/api";
import { nodes } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { cidrWarnings } from "../shared/cidr.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkNode, checkNodeChange } from "./nodes/check-node.ts";
import { printNode } from "./nodes/print-node.ts";

type Node = corev1.Node;

export const nodeRules: KindRules<Node> = {
  resource: nodes,
  metadataOnUpdate: ["whole", "changes"],
  keepsStatusOnCreate: true,
  defaults({ spec, status }) {
    if (status !== undefined) setStatusDefaults(status);
    if (spec !== undefined) matchPodCidrs(spec);
  },
  prepareCreate(draft) {
    delete draft.spec?.configSource;
    delete draft.status?.config;
  },
  prepareUpdate(draft, old) {
    if (old.spec?.configSource === undefined) delete draft.spec?.configSource;
  },
  validate: (node) => collectObjectFaults((at) => checkNode(node, at)),
  validateUpdate: (node, old) => [...collectObjectFaults((at) => checkNode(node, at)), ...changeFaults(node, old)],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        if (old.spec === undefined) delete draft.spec;
        else draft.spec = old.spec as Draft<corev1.NodeSpec>;
        if (old.status?.config === undefined) delete draft.status?.config;
      },
      validateUpdate: changeFaults,
    },
  },
  warnings({ spec = {} }) {
    const warnings = isAbsent(spec.externalID)
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"];
    collectFaults("spec", (fldPath) => {
      for (const [i, cidr] of (spec.podCIDRs ?? []).entries()) {
        warnings.push(...cidrWarnings(cidr, fldPath.at("podCIDRs").item(i)));
      }
    });
    return warnings;
  },
  selectableFields: {
    names: ["spec.unschedulable"],
    hasNamespace: false,
    valuesOf: ({ spec }) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
    unknownText: unsupportedField,
  },
  printRow: printNode,
};

function changeFaults(node: Node, old: Node): readonly Fault[] {
  return collectObjectFaults((at) => checkNodeChange(node, old, at));
}

function setStatusDefaults(status: Draft<corev1.NodeStatus>): void {
  roundResourceList(status.capacity);
  roundResourceList(status.allocatable);
  if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
}

/** One network, or one of each family; old clients know only the first. */
function matchPodCidrs(spec: Draft<corev1.NodeSpec>): void {
  const { podCIDR, podCIDRs = [] } = spec;
  if (!isAbsent(podCIDR) && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  const [first] = spec.podCIDRs ?? [];
  if (!isAbsent(first)) spec.podCIDR = first;
}
