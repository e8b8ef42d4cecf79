// What node-ipam looks at for one key: the node, and the networks that it would be given.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { printCidr } from "./cidr.ts";
import type { Free } from "./cidr-set.ts";
import type { NodeNetworks } from "./model.ts";

export interface Observed {
  readonly node: corev1.Node;
  readonly isBeingDeleted: boolean;
  /** One of each address family; undefined if one of them has none left. */
  readonly found: { readonly networks: readonly Free[]; readonly cidrs: readonly string[] } | undefined;
  /** How often it could not be written, in a row. */
  readonly failures: number;
}

/** Undefined when there is no such node (any more), or it has its networks. */
export function observe(key: string, { snapshot, model }: View<NodeNetworks>): Observed | undefined {
  const node = snapshot.get(nodes, key);
  if (node === undefined || (node.spec?.podCIDRs ?? []).length > 0) return undefined;
  const networks = model.findFor(node);
  const cidrs = networks?.map(({ index }, i) => {
    const cidr = model.sets[i]?.at(index);
    return cidr === undefined ? "" : printCidr(cidr);
  });
  return {
    node,
    isBeingDeleted: node.metadata.deletionTimestamp !== undefined,
    found: networks === undefined || cidrs === undefined ? undefined : { networks, cidrs },
    failures: model.failuresOf(key),
  };
}
