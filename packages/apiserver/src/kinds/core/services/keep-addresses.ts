// What somebody who writes a service again need not say: addresses and ports it was given stay. And the two spellings of its addresses,
// one and several, are made to agree where it is clear what was meant; where it is not, a check will say so. In place.
import type { Draft } from "../../kind-rules.ts";
import { isAbsent } from "../../shared/checks.ts";
import { getsNodePorts, hasClusterIp, isSameList, needsHealthCheck, nodePortsOf, type Spec } from "./service-traits.ts";

export function keepAddresses(spec: Draft<Spec>, old: Spec): void {
  if (hasClusterIp(spec) && hasClusterIp(old)) {
    if (isAbsent(spec.clusterIP) && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if (isEmpty(spec.clusterIPs) && old.clusterIPs !== undefined) spec.clusterIPs = [...old.clusterIPs];
  }
  if (getsNodePorts(spec) && getsNodePorts(old)) keepNodePorts(spec, old);
  if (needsHealthCheck(spec) && needsHealthCheck(old) && (spec.healthCheckNodePort ?? 0) === 0) {
    if (old.healthCheckNodePort !== undefined) spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** By the names of ports, unless another port has taken the number. */
function keepNodePorts(spec: Draft<Spec>, old: Spec): void {
  const wanted = new Set(nodePortsOf(spec));
  const taken = new Set(nodePortsOf(old).filter((number) => wanted.has(number)));
  const byName = new Map((old.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const number = byName.get(port.name ?? "") ?? 0;
    if (number !== 0 && !taken.has(number)) port.nodePort = number;
  }
}

/** `old` is undefined for a new service. */
export function matchClusterIps(spec: Draft<Spec>, old: Spec | undefined): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (old === undefined) {
    // Who knows only the one address means it.
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const oldIp = old.clusterIP ?? "";
  if (!isEmpty(old.clusterIPs) && clusterIPs.length === 0 && oldIp === clusterIP) {
    spec.clusterIPs = [...(old.clusterIPs ?? [])];
  }
  if (oldIp === clusterIP || !isSameList(old.clusterIPs, spec.clusterIPs)) return;
  if (oldIp !== "" && clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

const isEmpty = (list: readonly string[] | undefined) => (list ?? []).length === 0;
