// The rule of the ttl controller: the annotation says the seconds that the cluster's size asks for.
import { editObject, nothing, type Plan, plan } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import type { Observed } from "./observe.ts";

export const ttlAnnotation = "node.alpha.kubernetes.io/ttl";

export function decide({ node, ttlSeconds }: Observed): Plan {
  const { annotations = {} } = node.metadata;
  if (parseInteger(annotations[ttlAnnotation]) === ttlSeconds) return nothing("is told");
  const after = {
    ...node,
    metadata: { ...node.metadata, annotations: { ...annotations, [ttlAnnotation]: String(ttlSeconds) } },
  };
  // Not locked: the kubelet writes its node all the time, and nobody else writes this annotation.
  return plan(`tell ${ttlSeconds} s`, [[editObject(nodes, node, after, { isLocked: false })]]);
}

/** Undefined for what is no decimal integer: it is written anew. */
function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
