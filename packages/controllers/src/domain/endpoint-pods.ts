// What a pod is as an endpoint of a Service: whether it is one, at which addresses and ports.
import type { corev1 } from "@kubeloop/core/api";
import { canonicalIp, isPodTerminal } from "@kubeloop/core/rules";

export type IpFamily = "IPv4" | "IPv6";

/** A pod that has not ended and has an address is an endpoint; one that is being deleted only where such pods count. */
export function isEndpoint(pod: corev1.Pod, { countsTerminating }: { readonly countsTerminating: boolean }): boolean {
  if (isPodTerminal(pod)) return false;
  const { podIP = "", podIPs = [] } = pod.status ?? {};
  if (podIP === "" && (podIPs ?? []).length === 0) return false;
  return countsTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** Its addresses of one family, each in its shortest spelling, whatever the kubelet wrote. */
export function podAddresses({ status }: corev1.Pod, family: IpFamily): readonly string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => {
    const address = canonicalIp(ip ?? "");
    return address?.family === family ? [address.ip] : [];
  });
}

/** The name of the pod within a headless Service: its hostname, if its subdomain is the Service. */
export function endpointHostname({ spec, metadata }: corev1.Pod, service: corev1.Service): string | undefined {
  const isMeant = spec?.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return isMeant && spec?.hostname ? spec.hostname : undefined;
}

/**
 * Returns the port of the pod that a port of the Service leads to. A name is looked up in the pod's containers and sidecars; undefined if
 * none of them has a port of that name and protocol.
 */
export function targetPortOf({ spec }: corev1.Pod, servicePort: corev1.ServicePort): number | undefined {
  const { targetPort = servicePort.port } = servicePort;
  if (typeof targetPort === "number") return targetPort;
  const protocol = servicePort.protocol ?? "TCP";
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = (ports ?? []).find((port) => port.name === targetPort && (port.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Without an address of its own: its clients find the addresses of its pods instead. */
export const isHeadless = ({ spec }: corev1.Service) => (spec?.clusterIP ?? "") === "" || spec?.clusterIP === "None";
