// What a decision about the slices of a Service stands on: its pods, the slices that this controller manages for it, the nodes of its pods, and
// what is remembered of it.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { nodes, services } from "@kubeloop/core/resources";
import { slicesOfService } from "../../domain/endpoint-slices.ts";
import { podsOfService, selectorOfService } from "../../domain/service-pods.ts";
import type { TriggerTimes } from "../../domain/trigger-times.ts";
import type { EndpointSlice } from "./draft-slices.ts";
import type { EndpointSliceModel } from "./model.ts";
import type { TopologyOptions } from "./topology-hints.ts";

/** The value of the label endpointslice.kubernetes.io/managed-by. */
export const manager = "endpointslice-controller.k8s.io";

export interface Observed {
  readonly key: string;
  /** Undefined if it is gone, or its endpoints are not this controller's business. */
  readonly selecting: SelectingService | undefined;
  /** Whether there is such a Service at all. */
  readonly isGone: boolean;
}

/** A Service whose endpoints are pods. */
export interface SelectingService {
  readonly service: corev1.Service;
  readonly pods: readonly corev1.Pod[];
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (pod: corev1.Pod) => corev1.Node | undefined;
  readonly topology: TopologyOptions;
  /** Whether it has topology-aware hints, as far as is remembered. */
  readonly hasHints: boolean;
  /** Undefined on the first look. */
  readonly times: TriggerTimes | undefined;
}

export function observe(key: string, { snapshot, model }: View<EndpointSliceModel>): Observed {
  const service = snapshot.get(services, key);
  if (service === undefined) return { key, selecting: undefined, isGone: true };
  if (service.spec?.type === "ExternalName" || selectorOfService(service) === undefined) {
    return { key, selecting: undefined, isGone: false };
  }
  const { ratios, hasSeenNodes } = model.zones;
  const nodeOf = ({ spec }: corev1.Pod) => (spec?.nodeName ? snapshot.get(nodes, spec.nodeName) : undefined);
  return {
    key,
    isGone: false,
    selecting: {
      service,
      pods: podsOfService(snapshot, service),
      slices: slicesOfService(snapshot, manager, key),
      nodeOf,
      topology: { ratios, hasSeenNodes },
      hasHints: model.hasHints(key),
      times: model.timesOf(key),
    },
  };
}

/** For the queue of the zones: the Services whose hints fit the nodes no longer, or are missing. */
export function observeZones(_key: string, { model }: View<EndpointSliceModel>): readonly string[] {
  return model.misfittingServices();
}
