// NodeRestriction: a node writes only what a kubelet has to write, about itself and the pods that are bound to it. A node is a user
// `system:node:<name>` in the group `system:nodes`; nobody else is restricted. Off by default, as upstream.
//
// As in upstream, all of it is decided before the object is prepared by its kind's rules, on what the client sent.
import { quote } from "@kubeloop/core/api";
import type { RequestUser } from "../../../kinds/kind-rules.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../../plugin.ts";
import { claimRule } from "./claim-rule.ts";
import { nodeObjectRule } from "./node-object-rule.ts";
import type { NodeRule } from "./node-rule.ts";
import {
  csiNodeRule,
  leaseRule,
  podCertificateRule,
  resourceSliceRule,
  signingRequestRule,
} from "./own-object-rules.ts";
import { podRule } from "./pod-rule.ts";
import { tokenRule } from "./token-rule.ts";

/** By collection. What is not listed is left to authorization. */
const rules: ReadonlyMap<string, NodeRule> = new Map<string, NodeRule>([
  ["pods", podRule],
  ["nodes", nodeObjectRule],
  ["persistentvolumeclaims", claimRule],
  ["serviceaccounts", tokenRule],
  ["coordination.k8s.io/leases", leaseRule],
  ["storage.k8s.io/csinodes", csiNodeRule],
  ["resource.k8s.io/resourceslices", resourceSliceRule],
  ["certificates.k8s.io/certificatesigningrequests", signingRequestRule],
  ["certificates.k8s.io/podcertificaterequests", podCertificateRule],
]);

const userPrefix = "system:node:";
const nodesGroup = "system:nodes";

export function nodeRestriction(parts: AdmissionParts): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    handles: ["CREATE", "UPDATE", "DELETE"],
    async admit(attributes) {
      const nodeName = nodeNameOf(attributes.user);
      if (nodeName === undefined) return;
      if (nodeName === "") {
        throw admissionForbidden(attributes, `could not determine node from user ${quote(attributes.user.name)}`);
      }
      const { group, resource } = attributes.resource;
      const rule = rules.get(group === "" ? resource : `${group}/${resource}`);
      const why = await rule?.({ nodeName, attributes, parts });
      if (why !== undefined) throw admissionForbidden(attributes, why);
    },
  };
}

/** Returns undefined for users that are no node. */
function nodeNameOf({ name, groups }: RequestUser): string | undefined {
  return name.startsWith(userPrefix) && groups.includes(nodesGroup) ? name.slice(userPrefix.length) : undefined;
}
