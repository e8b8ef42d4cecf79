// The rules of a network policy: peers by labels or by addresses, ports by number, range or name.
import { type networkingv1, validatePortName, validatePortNumber } from "@kubeloop/core/api";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { addressBits, type Cidr, checkLegacyCidr, parseCidr } from "../shared/cidr.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

export interface NetworkPolicyOptions extends SelectorOptions {
  /** However spelled, they may stay. */
  readonly oldCidrs?: readonly string[];
}

const policyTypes = ["Ingress", "Egress"];

export function checkNetworkPolicySpec(
  { podSelector, ingress = [], egress = [], policyTypes: types = [] }: networkingv1.NetworkPolicySpec,
  fldPath: ValidationPath,
  options: NetworkPolicyOptions = {},
): void {
  checkLabelSelector(podSelector, fldPath.at("podSelector"), options);
  for (const [i, { ports, from }] of ingress.entries()) {
    const rulePath = fldPath.at("ingress").item(i);
    checkPorts(ports, rulePath.at("ports"));
    checkPeers(from, rulePath.at("from"), options);
  }
  for (const [i, { ports, to }] of egress.entries()) {
    const rulePath = fldPath.at("egress").item(i);
    checkPorts(ports, rulePath.at("ports"));
    checkPeers(to, rulePath.at("to"), options);
  }
  const typesPath = fldPath.at("policyTypes");
  if (types.length > policyTypes.length) {
    typesPath.invalid(types, "may not specify more than two policyTypes");
    return;
  }
  for (const [i, type] of types.entries()) checkOptionalChoice(type, typesPath.item(i), policyTypes);
}

function checkPorts(ports: readonly networkingv1.NetworkPolicyPort[] = [], fldPath: ValidationPath): void {
  for (const [i, port] of ports.entries()) checkPort(port, fldPath.item(i));
}

function checkPort({ protocol, port, endPort }: networkingv1.NetworkPolicyPort, fldPath: ValidationPath): void {
  checkOptionalChoice(protocol, fldPath.at("protocol"), ["TCP", "UDP", "SCTP"]);
  const endPath = fldPath.at("endPort");
  if (port === undefined) {
    if (endPort !== undefined) endPath.invalid(endPort, "may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) endPath.invalid(endPort, "may not be specified when `port` is non-numeric");
    fldPath.at("port").invalidFor(port, validatePortName(port));
  } else {
    fldPath.at("port").invalidFor(port, validatePortNumber(port));
    if (endPort === undefined) return;
    if (endPort < port) endPath.invalid(port, "must be greater than or equal to `port`");
    endPath.invalidFor(endPort, validatePortNumber(endPort));
  }
}

function checkPeers(
  peers: readonly networkingv1.NetworkPolicyPeer[] = [],
  fldPath: ValidationPath,
  options: NetworkPolicyOptions,
): void {
  for (const [i, peer] of peers.entries()) checkPeer(peer, fldPath.item(i), options);
}

function checkPeer(
  { podSelector, namespaceSelector, ipBlock }: networkingv1.NetworkPolicyPeer,
  fldPath: ValidationPath,
  options: NetworkPolicyOptions,
): void {
  checkLabelSelector(podSelector, fldPath.at("podSelector"), options);
  checkLabelSelector(namespaceSelector, fldPath.at("namespaceSelector"), options);
  if (ipBlock !== undefined) checkBlock(ipBlock, fldPath.at("ipBlock"), options);
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) fldPath.required("must specify a peer");
  else if (hasSelector && ipBlock !== undefined) fldPath.forbidden("may not specify both ipBlock and another peer");
}

function checkBlock(
  { cidr, except = [] }: networkingv1.IPBlock,
  fldPath: ValidationPath,
  { oldCidrs = [] }: NetworkPolicyOptions,
): void {
  const cidrPath = fldPath.at("cidr");
  if (isAbsent(cidr)) {
    cidrPath.required();
    return;
  }
  checkLegacyCidr(cidr, cidrPath, oldCidrs);
  const whole = parseCidr(cidr);
  if (whole === undefined) return;
  for (const [i, text] of except.entries()) {
    const exceptPath = fldPath.at("except").item(i);
    checkLegacyCidr(text, exceptPath, oldCidrs);
    const part = parseCidr(text);
    if (part !== undefined && !isStrictPart(part, whole)) {
      exceptPath.invalid(text, "must be a strict subset of `cidr`");
    }
  }
}

function isStrictPart(part: Cidr, whole: Cidr): boolean {
  if (part.address.family !== whole.address.family || part.bits <= whole.bits) return false;
  const { parts } = whole.network;
  const size = addressBits(whole.address) / parts.length;
  return parts.every((value, i) => {
    const free = size - Math.min(Math.max(whole.bits - i * size, 0), size);
    return value >> free === (part.network.parts[i] ?? 0) >> free;
  });
}
