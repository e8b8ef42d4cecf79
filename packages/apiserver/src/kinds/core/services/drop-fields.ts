// Fields that meant something to what a service was and mean nothing to what it becomes. Those that it may have been given, and that
// nobody tries to change, are taken away; others are left for a check to refuse. In place.
import type { Draft } from "../../kind-rules.ts";
import {
  hasClusterIp,
  isExternallyAccessible,
  isLoadBalancer,
  isOnNodes,
  isSameClusterIps,
  isSameList,
  needsHealthCheck,
  nodePortsOf,
  type Service,
  type Spec,
  specOf,
} from "./service-traits.ts";

export function dropFields(draft: Draft<Service>, oldService: Service): void {
  draft.spec ??= {};
  const { spec } = draft;
  const old = specOf(oldService);
  if (hasClusterIp(old) && !hasClusterIp(spec)) dropAddresses(spec, old);
  if (isOnNodes(old) && !isOnNodes(spec)) dropNodePorts(spec, old);
  const losesHealthCheck = needsHealthCheck(old) && !needsHealthCheck(spec);
  if (losesHealthCheck) dropSame(spec, old, "healthCheckNodePort");
  if (isLoadBalancer(old) && !isLoadBalancer(spec)) {
    dropSame(spec, old, "allocateLoadBalancerNodePorts");
    dropSame(spec, old, "loadBalancerClass");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) dropSame(spec, old, "externalTrafficPolicy");
  if (!isLoadBalancer(spec)) draft.status = { ...draft.status, loadBalancer: {} };
}

function dropSame(spec: Draft<Spec>, old: Spec, field: keyof Spec): void {
  if (spec[field] === old[field]) delete spec[field];
}

function dropAddresses(spec: Draft<Spec>, old: Spec): void {
  if (isSameClusterIps(old, spec)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (isSameList(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies;
  dropSame(spec, old, "ipFamilyPolicy");
}

/** Ports may go and come, but no number that is new. */
function dropNodePorts(spec: Draft<Spec>, old: Spec): void {
  const known = new Set(nodePortsOf(old));
  if (!nodePortsOf(spec).every((number) => known.has(number))) return;
  for (const port of spec.ports ?? []) delete port.nodePort;
}
