import { parseCidr, printCidr } from "@kubeloop/controllers";
import { describe, expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { checkNodeNetworks, nodeCidrRanges } from "./node-cidr-ranges.ts";

/** "10.0.0.0/16 in 24, fd00::/48 in 64 without 10.96.0.0/12", from these flags. */
function print(...flags: readonly string[]): string {
  const { ranges, services, unparsed } = nodeCidrRanges(parseOptions(flags).componentConfig);
  const its = ranges.map(({ cidr, nodeBits }) => `${printCidr(cidr)} in ${nodeBits}`).join(", ");
  const without = services.length === 0 ? "" : ` without ${services.map(printCidr).join(", ")}`;
  return `${its}${without}${unparsed.length === 0 ? "" : ` (${unparsed.join()})`}`;
}
const [ipv4, ipv6] = ["--cluster-cidr=10.0.0.0/16", "--cluster-cidr=fd00::/48"];
const both = "--cluster-cidr=10.0.0.0/16,fd00::/48";

describe("the flags say", () => {
  test.each<[string, readonly string[], string]>([
    ["IPv4 by default in 24", [ipv4], "10.0.0.0/16 in 24"],
    ["IPv6 by default in 64", [ipv6], "fd00::/48 in 64"],
    ["both by default in their own", [both], "10.0.0.0/16 in 24, fd00::/48 in 64"],
    ["the first is the first", ["--cluster-cidr=fd00::/48,10.0.0.0/16"], "fd00::/48 in 64, 10.0.0.0/16 in 24"],
    ["a size for the only one", [ipv4, "--node-cidr-mask-size=26"], "10.0.0.0/16 in 26"],
    ["a size for the only one, of IPv6", [ipv6, "--node-cidr-mask-size=56"], "fd00::/48 in 56"],
    ["a size for IPv4", [ipv4, "--node-cidr-mask-size-ipv4=20"], "10.0.0.0/16 in 20"],
    ["a size for IPv6", [ipv6, "--node-cidr-mask-size-ipv6=60"], "fd00::/48 in 60"],
    [
      "a size for each",
      [both, "--node-cidr-mask-size-ipv4=20", "--node-cidr-mask-size-ipv6=60"],
      "10.0.0.0/16 in 20, fd00::/48 in 60",
    ],
    ["networks of Services", [ipv4, "--service-cluster-ip-range=10.0.9.0/24"], "10.0.0.0/16 in 24 without 10.0.9.0/24"],
    [
      "networks of Services, of each family",
      [both, "--service-cluster-ip-range=10.96.0.0/12,fd00::/108"],
      "10.0.0.0/16 in 24, fd00::/48 in 64 without 10.96.0.0/12, fd00::/108",
    ],
    ["networks of Services that are none", [ipv4, "--service-cluster-ip-range=here"], "10.0.0.0/16 in 24 (here)"],
    ["a network that is as large as a node's", ["--cluster-cidr=10.0.0.0/24"], "10.0.0.0/24 in 24"],
  ])("%s", (_fact, flags, expected) => expect(print(...flags)).toBe(expected));
});

describe("it does not start", () => {
  test.each<[string, readonly string[], string]>([
    ["with another allocator", [ipv4, "--cidr-allocator-type=CloudAllocator"], "but cloud provider is not configured"],
    ["with none", [ipv4, "--cidr-allocator-type=Mine"], "invalid CIDR allocator type: Mine"],
    ["without a network", [], "invalid CIDR address: "],
    ["with what is none", ["--cluster-cidr=10.0.0.0"], "invalid CIDR address: 10.0.0.0"],
    ["with two of a family", ["--cluster-cidr=10.0.0.0/16,10.1.0.0/16"], "len of ClusterCIDRs==2 and they are not"],
    ["with three", ["--cluster-cidr=10.0.0.0/16,fd00::/48,10.1.0.0/16"], "more than max allowed of 2"],
    ["with one size for two", [both, "--node-cidr-mask-size=26"], "is not allowed with dual-stack clusters"],
    [
      "with a size too many",
      [ipv4, "--node-cidr-mask-size=26", "--node-cidr-mask-size-ipv4=26"],
      "if --node-cidr-mask-size is set",
    ],
    ["with a size of IPv6 for IPv4", [ipv4, "--node-cidr-mask-size-ipv6=64"], "single-stack IPv4 cluster"],
    ["with a size of IPv4 for IPv6", [ipv6, "--node-cidr-mask-size-ipv4=24"], "single-stack IPv6 cluster"],
    ["with nodes larger than the cluster", [ipv4, "--node-cidr-mask-size=8"], "must be less than or equal to"],
    [
      "with Services twice in a family",
      [ipv4, "--service-cluster-ip-range=10.96.0.0/16,10.97.0.0/16"],
      "are not dualstack",
    ],
  ])("%s", (_fact, flags, message) => expect(() => print(...flags)).toThrow(message));

  const { ranges } = nodeCidrRanges(parseOptions([ipv4]).componentConfig);
  const check = (...networks: readonly string[]) =>
    checkNodeNetworks([{ name: "n", networks: networks.map(parseCidr) }], ranges);
  test("but with nodes that have networks of the cluster, or none", () => {
    expect(() => check()).not.toThrow();
    expect(() => check("10.0.7.0/24")).not.toThrow();
  });
  test.each<[string, readonly string[], string]>([
    ["elsewhere", ["192.168.0.0/24"], "cidr 192.168.0.0/24 is out the range of cluster cidr 10.0.0.0/16"],
    ["of another family", ["fd00::/64"], "is out the range"],
    ["too many", ["10.0.7.0/24", "fd00::/64"], "at index:1 that does not exist in cluster cidrs configuration"],
    ["that are none", ["here"], "failed to parse node n"],
  ])("with a node that has networks %s", (_fact, networks, message) => {
    expect(() => check(...networks)).toThrow(message);
  });
});
