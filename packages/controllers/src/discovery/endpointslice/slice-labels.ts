// The labels of slices: those of their Service, but for the ones that say what the slice is.
import type { corev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { isHeadless } from "../../domain/endpoint-pods.ts";
import { headlessLabel, managedByLabel, serviceNameLabel } from "../../domain/endpoint-slices.ts";
import type { EndpointSlice } from "./draft-slices.ts";
import { manager } from "./observe.ts";

type Service = corev1.Service;

const ownLabels = [serviceNameLabel, managedByLabel, headlessLabel];

export function labelsFor(service: Service): Record<string, string> {
  return {
    ...withoutOwn(service.metadata.labels),
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: service.metadata.name ?? "",
    [managedByLabel]: manager,
  };
}

const withoutOwn = (labels: Readonly<Record<string, string>> | undefined) =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !ownLabels.includes(key)));

/** The slice's own labels do not count: they follow with the next change. */
export const hasOtherLabels = ({ metadata }: EndpointSlice, service: Service) =>
  !deepEqual(withoutOwn(metadata.labels), withoutOwn(service.metadata.labels));
