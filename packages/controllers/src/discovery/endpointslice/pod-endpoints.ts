// The endpoints that the pods of a Service are, by the ports that they have: pods whose ports of one name have other numbers are in other slices.
import type { corev1, discoveryv1 } from "@kubeloop/core/api";
import { isPodReady } from "@kubeloop/core/rules";
import { endpointHostname, type IpFamily, isEndpoint, podAddresses, targetPortOf } from "../../domain/endpoint-pods.ts";
import { endpointKey, portsKey } from "../../domain/endpoint-slices.ts";
import { sortSlicePorts } from "../../domain/go-order.ts";
import type { Endpoint } from "./draft-slices.ts";
import type { SelectingService } from "./observe.ts";
import { zoneOf } from "./zones.ts";

type Service = corev1.Service;
type Pod = corev1.Pod;

export interface EndpointGroup {
  readonly ports: readonly discoveryv1.EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/** The endpoints of all pods, by the ports that they have. */
export function groupEndpoints(
  { service, pods, nodeOf }: SelectingService,
  type: IpFamily,
): ReadonlyMap<string, EndpointGroup> {
  const servicePorts = service.spec?.ports ?? [];
  // Pods with the same numbers have the same ports: the longer key is made once for all of them.
  const byNumbers = new Map<string, EndpointGroup>();
  const groups = new Map<string, EndpointGroup>();
  for (const pod of pods) {
    if (!isEndpoint(pod, { countsTerminating: true })) continue;
    const numbers = servicePorts.map((port) => targetPortOf(pod, port));
    const numbersKey = numbers.join();
    let group = byNumbers.get(numbersKey);
    if (group === undefined) {
      const ports = servicePorts.flatMap((port, i) => endpointPort(port, numbers[i]));
      const key = portsKey(ports);
      group = groups.get(key) ?? { ports: sortSlicePorts(ports), endpoints: new Map() };
      groups.set(key, group);
      byNumbers.set(numbersKey, group);
    }
    const node = nodeOf(pod);
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
    const endpoint = toEndpoint(pod, node, service, type);
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

function endpointPort(
  { name = "", protocol = "TCP", appProtocol }: corev1.ServicePort,
  port: number | undefined,
): readonly discoveryv1.EndpointPort[] {
  if (port === undefined) return [];
  return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
}

/** A terminating pod is never ready, but it may still serve: that is for who knows of terminating endpoints. */
function toEndpoint(pod: Pod, node: corev1.Node | undefined, service: Service, type: IpFamily): Endpoint {
  const { namespace = "", name = "", uid = "", deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node === undefined ? undefined : zoneOf(node);
  const hostname = endpointHostname(pod, service);
  return {
    addresses: podAddresses(pod, type).toSorted(),
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}
