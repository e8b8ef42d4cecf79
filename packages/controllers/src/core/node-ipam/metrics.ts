// What node-ipam measures, under upstream's names: of each network of the cluster, how much of it is taken.
import { counter, gauge, histogram, type Measurement } from "@kubeloop/core/contract";
import { printCidr } from "./cidr.ts";
import type { NodeNetworks } from "./model.ts";

const labels = ["clusterCIDR"] as const;

const allocations = counter({
  name: "node_ipam_controller_cidrset_cidrs_allocations_total",
  help: "Networks that were taken.",
  labels,
});

const releases = counter({
  name: "node_ipam_controller_cidrset_cidrs_releases_total",
  help: "Networks that were given back.",
  labels,
});

const max = gauge({
  name: "node_ipam_controller_cirdset_max_cidrs",
  help: "How many networks there are.",
  labels,
});

const usage = gauge({
  name: "node_ipam_controller_cidrset_usage_cidrs",
  help: "Which part of the networks is taken.",
  labels,
});

const tries = histogram({
  name: "node_ipam_controller_cidrset_allocation_tries_per_request",
  help: "How many networks that are taken were looked at before one that is free was found.",
  buckets: [1, 5, 25, 125, 625],
  labels,
});

export const metrics = [allocations, releases, max, usage, tries];

/** Since the last time: what nodes take and give back with their coming and going is part of no plan. */
export function collect({ model: { sets } }: { readonly model: NodeNetworks }): readonly Measurement[] {
  return sets.flatMap((set) => {
    const label = { clusterCIDR: printCidr(set.cluster) };
    const tally = set.takeTally();
    return [
      allocations.add(tally.allocations, label),
      releases.add(tally.releases, label),
      max.set(set.max, label),
      usage.set(set.count / set.max, label),
      ...tally.tries.map((count) => tries.observe(count, label)),
    ];
  });
}
