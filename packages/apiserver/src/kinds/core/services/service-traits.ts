// What kind of service a spec describes: which addresses it has, and which of its fields mean something.
import type { corev1 } from "@kubeloop/core/api";
import { isAbsent } from "../../shared/checks.ts";

export type Service = corev1.Service;
export type Spec = corev1.ServiceSpec;

export const none = "None";

export const specOf = (service: Service): Spec => service.spec ?? {};

/** Even "None" counts as an address of the cluster's. */
export const hasClusterIp = ({ type }: Spec): boolean => type !== "ExternalName";

export const isLoadBalancer = ({ type }: Spec): boolean => type === "LoadBalancer";

/** On every node, under a port. */
export const isOnNodes = (spec: Spec): boolean => spec.type === "NodePort" || isLoadBalancer(spec);

/** Whether it is given ports on nodes that it does not name. */
export const getsNodePorts = (spec: Spec): boolean =>
  spec.type === "NodePort" || (isLoadBalancer(spec) && spec.allocateLoadBalancerNodePorts !== false);

/** Balancers ask each node whether it has endpoints, where traffic must stay on its node. */
export const needsHealthCheck = (spec: Spec): boolean => isLoadBalancer(spec) && spec.externalTrafficPolicy === "Local";

export const isExternallyAccessible = (spec: Spec): boolean =>
  isOnNodes(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);

export const isHeadless = ({ clusterIPs = [] }: Spec): boolean => clusterIPs.length === 1 && clusterIPs[0] === none;

export const hasSelector = ({ selector }: Spec): boolean => Object.keys(selector ?? {}).length > 0;

export const nodePortsOf = ({ ports = [] }: Spec): readonly number[] =>
  ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]));

export const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

/** Both spellings of the addresses. */
export const isSameClusterIps = (a: Spec, b: Spec): boolean =>
  (a.clusterIP ?? "") === (b.clusterIP ?? "") && isSameList(a.clusterIPs, b.clusterIPs);

/** Everything it holds that nobody else may have. */
export interface HeldAddresses {
  readonly ips: readonly string[];
  readonly ports: readonly number[];
}

export function heldAddresses(spec: Spec): HeldAddresses {
  const ips = hasClusterIp(spec) ? (spec.clusterIPs ?? []).filter((ip) => ip !== none && !isAbsent(ip)) : [];
  const health = needsHealthCheck(spec) ? (spec.healthCheckNodePort ?? 0) : 0;
  const ports = [...(isOnNodes(spec) ? nodePortsOf(spec) : []), ...(health === 0 ? [] : [health])];
  return { ips, ports: [...new Set(ports)] };
}
