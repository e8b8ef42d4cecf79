// What a service gets where nothing is said. In place; done twice it changes nothing.
import type { Draft } from "../../kind-rules.ts";
import { isAbsent } from "../../shared/checks.ts";
import { hasClusterIp, isExternallyAccessible, isLoadBalancer, type Service, type Spec } from "./service-traits.ts";

/** Three hours. */
const affinitySeconds = 10_800;
const knownTypes = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

export function setServiceDefaults(draft: Draft<Service>): void {
  draft.spec ??= {};
  const { spec, status } = draft;
  setAffinityDefaults(spec);
  if (isAbsent(spec.type)) spec.type = "ClusterIP";
  for (const port of spec.ports ?? []) {
    if (isAbsent(port.protocol)) port.protocol = "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec) && isAbsent(spec.externalTrafficPolicy)) spec.externalTrafficPolicy = "Cluster";
  if (knownTypes.has(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (!hasClusterIp(spec)) delete spec.internalTrafficPolicy;
  if (!isLoadBalancer(spec)) return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (!isAbsent(ingress.ip)) ingress.ipMode ??= "VIP";
}

function setAffinityDefaults(spec: Draft<Spec>): void {
  if (isAbsent(spec.sessionAffinity)) spec.sessionAffinity = "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP") return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
}
