// Hints from spec.trafficDistribution of a Service: each ready endpoint is meant for its own zone (PreferSameZone, and PreferClose as it was
// called before), and also for its own node (PreferSameNode).
import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type DraftSlice, type Endpoint, isReady, withHints } from "./draft-slices.ts";

export type TrafficDistribution = "PreferClose" | "PreferSameZone" | "PreferSameNode";

/** Undefined if the Service has none, or one that this cluster does not know. */
export function trafficDistributionOf(
  { spec }: corev1.Service,
  { knowsPreferSame }: { readonly knowsPreferSame: boolean },
): TrafficDistribution | undefined {
  const wanted = spec?.trafficDistribution;
  if (wanted === "PreferClose") return wanted;
  return knowsPreferSame && (wanted === "PreferSameZone" || wanted === "PreferSameNode") ? wanted : undefined;
}

/** A slice is written for its hints only if those of a ready endpoint are wrong. What an endpoint that is not ready has is left. */
export function distributeTraffic(
  drafts: readonly DraftSlice[],
  distribution: TrafficDistribution,
): readonly DraftSlice[] {
  return drafts.map((draft) => {
    const isWrong = (endpoint: Endpoint) =>
      isReady(endpoint) && !deepEqual(endpoint.hints ?? {}, hintsOf(endpoint, distribution) ?? {});
    if (!draft.isChanged && !draft.endpoints.some(isWrong)) return draft;
    const endpoints = draft.endpoints.map((endpoint) =>
      isReady(endpoint) ? withHints(endpoint, hintsOf(endpoint, distribution)) : endpoint,
    );
    return { ...draft, endpoints, isChanged: true };
  });
}

function hintsOf(
  { zone, nodeName }: Endpoint,
  distribution: TrafficDistribution,
): discoveryv1.EndpointHints | undefined {
  const forNodes =
    distribution === "PreferSameNode" && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {};
  const hints = { ...(zone === undefined ? {} : { forZones: [{ name: zone }] }), ...forNodes };
  return Object.keys(hints).length === 0 ? undefined : hints;
}
