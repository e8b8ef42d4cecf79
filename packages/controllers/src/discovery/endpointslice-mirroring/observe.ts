// What a decision about mirrored slices stands on: the Endpoints, the Service of their name, and the slices that mirror them so far.
import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { endpoints, services } from "@kubeloop/core/resources";
import { slicesOfService } from "../../domain/endpoint-slices.ts";
import { selectorOfService } from "../../domain/service-pods.ts";
import type { MirrorCounts } from "./model.ts";

/** The value of the label endpointslice.kubernetes.io/managed-by. */
export const manager = "endpointslicemirroring-controller.k8s.io";

export interface Observed {
  readonly key: string;
  /** Undefined if they are gone, or not to be mirrored. */
  readonly mirrored: corev1.Endpoints | undefined;
  readonly slices: readonly discoveryv1.EndpointSlice[];
}

export function observe(key: string, { snapshot }: View<MirrorCounts>): Observed {
  const found = snapshot.get(endpoints, key);
  const service = snapshot.get(services, key);
  // Services with a selector have slices of their own; Endpoints without a Service are nobody's.
  const isMeant = found !== undefined && service !== undefined && selectorOfService(service) === undefined;
  return {
    key,
    mirrored: isMeant && isToBeMirrored(found) ? found : undefined,
    slices: slicesOfService(snapshot, manager, key),
  };
}

/** Not if their author does not want it, nor if a leader election lives in them, which changes every few seconds. */
export function isToBeMirrored({ metadata: { labels, annotations } }: corev1.Endpoints): boolean {
  if (labels?.["endpointslice.kubernetes.io/skip-mirror"] === "true") return false;
  return annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined;
}
