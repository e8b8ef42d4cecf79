// What node-ipam is started with, from the flags: the cluster's networks, how large a node's part of each is, and the networks of Services.
//
// Promise: what upstream refuses to start with is refused, with upstream's words.
import { type Cidr, type ClusterRange, overlaps, parseCidr, printCidr } from "@kubeloop/controllers";
import { KubeloopError } from "@kubeloop/core/base";
import type { ComponentConfig } from "../options/index.ts";

type Config = Pick<ComponentConfig, "nodeIPAMController" | "kubeCloudShared">;

export interface NodeCidrRanges {
  readonly ranges: readonly ClusterRange[];
  readonly services: readonly Cidr[];
  /** Networks of Services that are none, which do not count. */
  readonly unparsed: readonly string[];
}

const defaultBits = { IPv4: 24, IPv6: 64 } as const;

export function nodeCidrRanges({ nodeIPAMController, kubeCloudShared }: Config): NodeCidrRanges {
  const { cidrAllocatorType: type } = kubeCloudShared;
  if (type === "CloudAllocator")
    throw invalid("--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured");
  if (type !== "RangeAllocator") throw invalid(`invalid CIDR allocator type: ${type}`);
  const clusters = parseClusterCidrs(kubeCloudShared.clusterCIDR);
  const bits = nodeBits(nodeIPAMController, clusters);
  const ranges = clusters.map((cidr) => ({ cidr, nodeBits: bits[cidr.family] }));
  for (const { cidr, nodeBits: size } of ranges) {
    if (cidr.bits > size) {
      throw invalid(
        "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family",
      );
    }
  }
  const texts = nodeIPAMController.serviceCIDR.split(",").filter((text) => text.trim() !== "");
  const services = texts.map(parseCidr).filter((cidr) => cidr !== undefined);
  if (services.length > 1 && !isDualStack(services))
    throw invalid("serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
  return { ranges, services, unparsed: texts.filter((text) => parseCidr(text) === undefined) };
}

function parseClusterCidrs(text: string): readonly Cidr[] {
  const clusters = text
    .trim()
    .split(",")
    .map((part) => {
      const cidr = parseCidr(part);
      if (cidr === undefined) throw invalid(`invalid CIDR address: ${part}`);
      return cidr;
    });
  if (clusters.length > 1 && !isDualStack(clusters)) {
    throw invalid(
      `len of ClusterCIDRs==${clusters.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  }
  if (clusters.length > 2) throw invalid(`length of clusterCIDRs is:${clusters.length} more than max allowed of 2`);
  return clusters;
}

function nodeBits(flags: Config["nodeIPAMController"], clusters: readonly Cidr[]): Record<Cidr["family"], number> {
  const { nodeCIDRMaskSize: both, nodeCIDRMaskSizeIPv4: ipv4, nodeCIDRMaskSizeIPv6: ipv6 } = flags;
  const chosen = { IPv4: ipv4 || defaultBits.IPv4, IPv6: ipv6 || defaultBits.IPv6 };
  if (clusters.length > 1) {
    if (both !== 0) throw invalid("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
    return chosen;
  }
  if (both !== 0) {
    if (ipv4 !== 0 || ipv6 !== 0) {
      throw invalid(
        "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
      );
    }
    return { IPv4: both, IPv6: both };
  }
  const [{ family } = { family: "IPv4" }] = clusters;
  if (ipv4 !== 0 && family === "IPv6")
    throw invalid("usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster");
  if (ipv6 !== 0 && family === "IPv4")
    throw invalid("usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster");
  return chosen;
}

const isDualStack = (cidrs: readonly Cidr[]) => new Set(cidrs.map(({ family }) => family)).size > 1;

/** Throws if a node has a network that is none of the cluster's: then the flags are wrong, or another allocator was at work. */
export function checkNodeNetworks(
  nodes: Iterable<{ readonly name: string; readonly networks: readonly (Cidr | undefined)[] }>,
  ranges: readonly ClusterRange[],
): void {
  for (const { name, networks } of nodes) {
    for (const [i, cidr] of networks.entries()) {
      if (cidr === undefined) throw invalid(`failed to parse node ${name}, CIDR at idx [${i}]`);
      const cluster = ranges[i]?.cidr;
      if (cluster === undefined) {
        throw invalid(
          `node:${name} has an allocated cidr: ${printCidr(cidr)} at index:${i} that does not exist in cluster cidrs configuration`,
        );
      }
      if (!overlaps(cidr, cluster)) {
        throw invalid(
          `failed to mark cidr[${printCidr(cidr)}] at idx [${i}] as occupied for node: ${name}: cidr ${printCidr(cidr)} is out the range of cluster cidr ${printCidr(cluster)}`,
        );
      }
    }
  }
}

function invalid(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
