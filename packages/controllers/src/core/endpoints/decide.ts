// The rules of the endpoints controller: from a Service and its pods to its Endpoints.
import type { corev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { create, type Decision, editObject, nothing, plan, removeObject } from "@kubeloop/core/contract";
import { endpoints } from "@kubeloop/core/resources";
import { isPodReady } from "@kubeloop/core/rules";
import {
  endpointHostname,
  type IpFamily,
  isEndpoint,
  isHeadless,
  podAddresses,
  targetPortOf,
} from "../../domain/endpoint-pods.ts";
import { headlessLabel } from "../../domain/endpoint-slices.ts";
import { areSameSubsets, repackSubsets } from "../../domain/endpoint-subsets.ts";
import { selectorOfService } from "../../domain/service-pods.ts";
import {
  lastChangeTriggerTime,
  type TriggerTimes,
  triggerTimesOf,
  withTriggerTime,
} from "../../domain/trigger-times.ts";
import type { Observed } from "./observe.ts";
import { isWithinCapacity, overCapacityAnnotation, truncateSubsets } from "./truncate.ts";

type Service = corev1.Service;
type Pod = corev1.Pod;
type Labels = Readonly<Record<string, string>>;

export const managedByLabel = "endpoints.kubernetes.io/managed-by";
export const manager = "endpoint-controller";

export interface DecideOptions {
  /** How many addresses Endpoints have at most. */
  readonly most: number;
}

/** For `learn`. */
export interface DecidedEndpoints {
  readonly times: TriggerTimes;
}

export const newDecide =
  ({ most }: DecideOptions) =>
  ({ service, pods, current, times: before }: Observed): Decision<DecidedEndpoints> => {
    if (service === undefined) return decideLeftOver(current);
    if (service.spec?.type === "ExternalName" || selectorOfService(service) === undefined) {
      return nothing("no pods to look for");
    }
    const times = triggerTimesOf(service, pods);
    const notes = { times };
    const subsets = subsetsOf(service, pods);
    const isRight =
      current !== undefined &&
      areSameSubsets(current.subsets, subsets) &&
      hasLabelsOf(service, current.metadata.labels) &&
      isWithinCapacity(current, most);
    if (isRight) return nothing("as it should be", { notes });

    const truncated = truncateSubsets(subsets, most);
    const { [overCapacityAnnotation]: _old, ...annotations } = withTriggerTime(
      current?.metadata.annotations,
      lastChangeTriggerTime(before, times),
    );
    const metadata = {
      labels: labelsFor(service),
      annotations: { ...annotations, ...(truncated === undefined ? {} : { [overCapacityAnnotation]: "truncated" }) },
    };
    const content = truncated ?? subsets;
    if (current !== undefined) {
      const { subsets: _subsets, ...rest } = current;
      const after = {
        ...rest,
        metadata: { ...current.metadata, ...metadata },
        ...(content.length === 0 ? {} : { subsets: content }),
      };
      return plan("changed", [[editObject(endpoints, current, after)]], { notes });
    }
    const { namespace = "", name = "" } = service.metadata;
    const created: corev1.Endpoints = {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { namespace, name, ...metadata },
      ...(content.length === 0 ? {} : { subsets: content }),
    };
    return plan("new", [[create(endpoints, created, { tolerates: ["NamespaceTerminating"] })]], { notes });
  };

/** Those of a Service that is gone are deleted; a conflict is Endpoints that were made anew, which are not meant. */
function decideLeftOver(current: corev1.Endpoints | undefined): Decision<DecidedEndpoints> {
  if (current === undefined) return nothing("nothing is left");
  return plan("left over", [[removeObject(endpoints, current, { tolerates: ["NotFound", "Conflict"] })]]);
}

function subsetsOf(service: Service, pods: readonly Pod[]): readonly corev1.EndpointSubset[] {
  const { ports = [], publishNotReadyAddresses = false } = service.spec ?? {};
  const some: corev1.EndpointSubset[] = [];
  for (const pod of pods) {
    if (!isEndpoint(pod, { countsTerminating: publishNotReadyAddresses })) continue;
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const isReady = publishNotReadyAddresses || isPodReady(pod);
    const list = isReady ? { addresses: [address] } : { notReadyAddresses: [address] };
    // A headless Service may have no ports: its clients know them.
    if ((ports ?? []).length === 0 && service.spec?.clusterIP === "None") some.push(list);
    for (const servicePort of ports ?? []) {
      const port = targetPortOf(pod, servicePort);
      if (port !== undefined) some.push({ ...list, ports: [endpointPort(servicePort, port)] });
    }
  }
  return repackSubsets(some);
}

/** Endpoints have addresses of one family only, the Service's first. Undefined if the pod has none of it. */
function addressOf(service: Service, pod: Pod): corev1.EndpointAddress | undefined {
  const [ip] = podAddresses(pod, familyOf(service, pod));
  if (ip === undefined) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const hostname = endpointHostname(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** A server always sets families; without them the addresses tell. */
function familyOf({ spec }: Service, pod: Pod): IpFamily {
  const [first] = spec?.ipFamilies ?? [];
  if (first !== undefined) return first === "IPv6" ? "IPv6" : "IPv4";
  const { clusterIP = "" } = spec ?? {};
  const address = clusterIP === "" || clusterIP === "None" ? (pod.status?.podIP ?? "") : clusterIP;
  return address.includes(":") ? "IPv6" : "IPv4";
}

function endpointPort(
  { name = "", protocol = "TCP", appProtocol }: corev1.ServicePort,
  port: number,
): corev1.EndpointPort {
  return {
    ...(name === "" ? {} : { name }),
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  };
}

/** Those of the Service, and that this controller made it. */
function labelsFor(service: Service): Record<string, string> {
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}), [managedByLabel]: manager };
}

/** That it is headless does not count: it follows with the next change. */
function hasLabelsOf(service: Service, labels: Labels | undefined): boolean {
  const without = (all: Labels | undefined) =>
    Object.fromEntries(Object.entries(all ?? {}).filter(([key]) => key !== headlessLabel));
  return deepEqual(without(labels), without(labelsFor(service)));
}
