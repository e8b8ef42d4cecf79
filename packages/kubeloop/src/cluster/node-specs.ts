// The hollow nodes of a control plane in one process: their names, their addresses, and the network that the pods of all of them are in.
import type { HollowNodeSpec } from "@kubeloop/nodes";

/** More would not fit into the network of the nodes, and no test wants them. */
export const mostNodes = 10_000;

/**
 * `node-1` and so on, with addresses from 172.18.0.0/16, as kind gives them; or all with the one address at which they serve, also as their host name,
 * because nobody could resolve their own.
 */
export function nodeSpecs(count: number, served?: string): readonly HollowNodeSpec[] {
  return Array.from({ length: count }, (_, index) => {
    if (served !== undefined) return { name: `node-${index + 1}`, internalIPs: [served], hostname: served };
    // The first address is the gateway's.
    const host = index + 2;
    return { name: `node-${index + 1}`, internalIPs: [`172.18.${host >> 8}.${host & 255}`] };
  });
}

/** Kubeadm's usual network, or one with room for more nodes. Each node has 256 addresses of it. */
export const podNetwork = (count: number): string => (count <= 250 ? "10.244.0.0/16" : "10.128.0.0/9");

/** Where each node renews its lease. */
export const nodeLeaseNamespace = "kube-node-lease";
