// node-ipam with the networks of its scenarios.
import { parseCidr } from "./cidr.ts";
import { newNodeIpamController } from "./controller.ts";

/** Throws for what is no network. */
export function cidrOf(text: string) {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`${text} is no network`);
  return cidr;
}

export const newDualStack = () =>
  newNodeIpamController({
    ranges: [
      { cidr: cidrOf("10.244.0.0/16"), nodeBits: 24 },
      { cidr: cidrOf("fd00:10:244::/48"), nodeBits: 64 },
    ],
  });

export const newSmall = () =>
  newNodeIpamController({ ranges: [{ cidr: cidrOf("10.0.0.0/22"), nodeBits: 24 }], services: [cidrOf("10.0.0.0/24")] });
