// Which addresses and ports a write of a service asks for: those it names, and those it leaves to the server. Nothing here knows which of
// them are free.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { isAbsent } from "../../shared/checks.ts";
import { type IpFamily, keepsPreference } from "./ip-families.ts";
import {
  getsNodePorts,
  hasClusterIp,
  isHeadless,
  isOnNodes,
  needsHealthCheck,
  nodePortsOf,
  type Spec,
} from "./service-traits.ts";

export interface IpClaim {
  /** Its place among the addresses. */
  readonly index: number;
  readonly family: IpFamily;
  /** Undefined: any. */
  readonly asked: string | undefined;
}

export interface PortClaim {
  /** The ports that get this number; none for the health check. */
  readonly ports: readonly number[];
  /** Undefined: any. */
  readonly asked: number | undefined;
}

export interface AddressPlan {
  readonly ips: readonly IpClaim[];
  readonly ports: readonly PortClaim[];
}

/** Of settled families. `old` is undefined for a new service. */
export function planAddresses(spec: Spec, old: Spec | undefined): AddressPlan {
  const ports = old === undefined ? planNewPorts(spec) : planChangedPorts(spec, old);
  return { ips: planIps(spec, old), ports: [...ports, ...planHealthCheck(spec, old)] };
}

function planIps(spec: Spec, old: Spec | undefined): readonly IpClaim[] {
  if (!hasClusterIp(spec) || isHeadless(spec)) return [];
  const families = (spec.ipFamilies ?? []) as readonly IpFamily[];
  const claims = families.map((family, index) => {
    const ip = spec.clusterIPs?.[index];
    return { index, family, asked: isAbsent(ip) ? undefined : ip };
  });
  if (old === undefined || !hasClusterIp(old)) return claims;
  // What it has stays; it may only get one of the other family.
  if (isHeadless(old) || keepsPreference(spec, old)) return [];
  return (old.ipFamilies ?? []).length === 1 && claims.length === 2 ? claims.slice(1) : [];
}

/** The same port under several protocols has the same number on nodes. */
function planNewPorts(spec: Spec): readonly PortClaim[] {
  if (!isOnNodes(spec)) return [];
  const { ports = [] } = spec;
  const claims: { ports: number[]; asked: number | undefined }[] = [];
  const byPort = new Map<number, (typeof claims)[number]>();
  const named = firstNamed(ports);
  for (const [i, { port, nodePort = 0 }] of ports.entries()) {
    if (nodePort === 0 && !getsNodePorts(spec)) continue;
    const shared = byPort.get(port);
    if (shared !== undefined && (nodePort === 0 || nodePort === shared.asked)) {
      shared.ports.push(i);
      continue;
    }
    const asked = shared === undefined ? named.get(port) : nodePort;
    const claim = { ports: [i], asked };
    claims.push(claim);
    if (shared === undefined) byPort.set(port, claim);
  }
  return claims;
}

/** By port, the first number on nodes that is named for it. */
function firstNamed(ports: readonly corev1.ServicePort[]): ReadonlyMap<number, number> {
  const named = new Map<number, number>();
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !named.has(port)) named.set(port, nodePort);
  return named;
}

function planChangedPorts(spec: Spec, old: Spec): readonly PortClaim[] {
  if (!isOnNodes(spec)) return [];
  const known = new Set(nodePortsOf(old));
  const claims: PortClaim[] = [];
  for (const [i, { nodePort = 0 }] of (spec.ports ?? []).entries()) {
    if (nodePort === 0) {
      if (getsNodePorts(spec)) claims.push({ ports: [i], asked: undefined });
    } else if (!known.has(nodePort)) {
      known.add(nodePort);
      claims.push({ ports: [i], asked: nodePort });
    }
  }
  return claims;
}

function planHealthCheck(spec: Spec, old: Spec | undefined): readonly PortClaim[] {
  if (!needsHealthCheck(spec) || (old !== undefined && needsHealthCheck(old))) return [];
  const { healthCheckNodePort: asked = 0 } = spec;
  return [{ ports: [], asked: asked === 0 ? undefined : asked }];
}

export const isHealthCheck = ({ ports }: PortClaim): boolean => ports.length === 0;

export function setIp(spec: Draft<Spec>, { index }: IpClaim, ip: string): void {
  const ips = [...(spec.clusterIPs ?? [])];
  ips[index] = ip;
  spec.clusterIPs = ips;
  if (index === 0) spec.clusterIP = ip;
}

export function setPort(spec: Draft<Spec>, claim: PortClaim, number: number): void {
  if (isHealthCheck(claim)) spec.healthCheckNodePort = number;
  for (const index of claim.ports) {
    const port = spec.ports?.[index];
    if (port !== undefined) port.nodePort = number;
  }
}

/** A number under one protocol twice: refused before anything is looked up. */
export function findRepeatedNodePort({ ports = [] }: Spec): string | undefined {
  const seen = new Set<string>();
  for (const { protocol = "", nodePort = 0 } of ports) {
    const identity = `{${protocol} ${nodePort}}`;
    if (nodePort !== 0 && seen.has(identity)) return identity;
    seen.add(identity);
  }
  return undefined;
}
