// How disrupted a zone is, and how fast its nodes may lose their pods because of it. Many nodes that fail together are more likely a failure of
// the network, or of ourselves, than of the nodes: then waiting is better than deleting.
//
//   Normal             --node-eviction-rate
//   PartialDisruption  more than two nodes, and at least the threshold of all, are not ready: the secondary rate, or none in a small zone
//   FullDisruption     no node is ready: the normal rate, because the others can take the pods; but if that holds for all zones, none
import type { corev1 } from "@kubeloop/core/api";

export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

export interface ZoneSettings {
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  readonly largeClusterThreshold: number;
  readonly unhealthyZoneThreshold: number;
}

export interface ZoneCount {
  readonly size: number;
  readonly notReady: number;
}

/** "" for a node without region and zone. Else upstream's, which dashboards know from the metrics: both, with a NUL between colons. */
export function zoneOf({ metadata: { labels = {} } }: corev1.Node): string {
  const zone = labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  const region = labels["failure-domain.beta.kubernetes.io/region"] ?? labels["topology.kubernetes.io/region"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}

/** Such a node does not count in its zone. */
export const isExcluded = ({ metadata: { labels = {} } }: corev1.Node): boolean =>
  "node.kubernetes.io/exclude-disruption" in labels;

export function zoneState(
  { size, notReady }: ZoneCount,
  { unhealthyZoneThreshold }: Pick<ZoneSettings, "unhealthyZoneThreshold">,
): ZoneState {
  if (size > 0 && notReady === size) return "FullDisruption";
  // As upstream, which calculates with 32 bits: 55 of 100 nodes are the threshold of 0.55.
  const share = Math.fround(Math.fround(notReady) / Math.fround(size));
  return notReady > 2 && share >= Math.fround(unhealthyZoneThreshold) ? "PartialDisruption" : "Normal";
}

/** In nodes per second; 0 stops. */
export function evictionRate(state: ZoneState, size: number, settings: ZoneSettings): number {
  if (state !== "PartialDisruption") return settings.evictionRate;
  return size > settings.largeClusterThreshold ? settings.secondaryEvictionRate : 0;
}

/**
 * "entering": all zones are fully disrupted, and were not before: evictions stop, and taints are taken back. "exiting": all were, and one is
 * not any more. "stopped": all were, and are.
 */
export type Disruption = "none" | "entering" | "stopped" | "exiting";

/** `before` and `now` are the states of the same zones: those that have a node that counts. */
export function disruptionOf(before: Iterable<ZoneState>, now: Iterable<ZoneState>): Disruption {
  const wasAll = [...before].every((state) => state === "FullDisruption");
  const isAll = [...now].every((state) => state === "FullDisruption");
  if (isAll) return wasAll ? "stopped" : "entering";
  return wasAll ? "exiting" : "none";
}
