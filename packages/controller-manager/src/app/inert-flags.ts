// Flags that are taken and have no effect yet: those of controllers that are not written, and those that say so themselves (a cloud's, leader
// migration's). The list only shrinks; a test pins it.
import type { AnyFlag } from "../flags/index.ts";
import { flagGroups } from "../options/index.ts";
import { controllerDescriptors } from "./controller-descriptors.ts";

/** Settings of one controller that another one, which is written, uses as well. */
const sharedFlags: Readonly<Record<string, string>> = {
  "root-ca-file": "root-ca-certificate-publisher-controller",
  "service-account-private-key-file": "serviceaccount-token-controller",
  "concurrent-serviceaccount-token-syncs": "serviceaccount-token-controller",
  "node-monitor-period": "node-lifecycle-controller",
  "cluster-cidr": "node-ipam-controller",
  "allocate-node-cidrs": "node-ipam-controller",
  "cidr-allocator-type": "node-ipam-controller",
};

export function inertFlags(): readonly AnyFlag[] {
  const unwritten = new Set(controllerDescriptors.filter(({ start }) => start === undefined).map(({ name }) => name));
  return flagGroups.flatMap(({ name: group, flags }) =>
    flags.filter(({ name, isInert }) => isInert === true || unwritten.has(sharedFlags[name] ?? group)),
  );
}
