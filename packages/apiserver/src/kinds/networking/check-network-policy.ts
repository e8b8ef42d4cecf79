// The rules of a network policy: peers by labels or by addresses, ports by number, range or name.
import { type networkingv1, validatePortName, validatePortNumber } from "@kubeloop/core/api";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { addressBits, type Cidr, checkLegacyCidr, parseCidr } from "../shared/cidr.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";

export interface NetworkPolicyOptions extends SelectorOptions {
  /** However spelled, they may stay. */
  readonly oldCidrs?: readonly string[];
}

const policyTypes = ["Ingress", "Egress"];

export function checkNetworkPolicySpec(
  { podSelector, ingress = [], egress = [], policyTypes: types = [] }: networkingv1.NetworkPolicySpec,
  place: FaultPlace,
  options: NetworkPolicyOptions = {},
): void {
  checkLabelSelector(podSelector, place.at("podSelector"), options);
  for (const [i, { ports, from }] of ingress.entries()) {
    const rulePlace = place.at("ingress").item(i);
    checkPorts(ports, rulePlace.at("ports"));
    checkPeers(from, rulePlace.at("from"), options);
  }
  for (const [i, { ports, to }] of egress.entries()) {
    const rulePlace = place.at("egress").item(i);
    checkPorts(ports, rulePlace.at("ports"));
    checkPeers(to, rulePlace.at("to"), options);
  }
  const typesPlace = place.at("policyTypes");
  if (types.length > policyTypes.length) {
    typesPlace.invalid(types, "may not specify more than two policyTypes");
    return;
  }
  for (const [i, type] of types.entries()) checkOptionalChoice(type, typesPlace.item(i), policyTypes);
}

function checkPorts(ports: readonly networkingv1.NetworkPolicyPort[] = [], place: FaultPlace): void {
  for (const [i, port] of ports.entries()) checkPort(port, place.item(i));
}

function checkPort({ protocol, port, endPort }: networkingv1.NetworkPolicyPort, place: FaultPlace): void {
  checkOptionalChoice(protocol, place.at("protocol"), ["TCP", "UDP", "SCTP"]);
  const endPlace = place.at("endPort");
  if (port === undefined) {
    if (endPort !== undefined) endPlace.invalid(endPort, "may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) endPlace.invalid(endPort, "may not be specified when `port` is non-numeric");
    place.at("port").invalidFor(port, validatePortName(port));
  } else {
    place.at("port").invalidFor(port, validatePortNumber(port));
    if (endPort === undefined) return;
    if (endPort < port) endPlace.invalid(port, "must be greater than or equal to `port`");
    endPlace.invalidFor(endPort, validatePortNumber(endPort));
  }
}

function checkPeers(
  peers: readonly networkingv1.NetworkPolicyPeer[] = [],
  place: FaultPlace,
  options: NetworkPolicyOptions,
): void {
  for (const [i, peer] of peers.entries()) checkPeer(peer, place.item(i), options);
}

function checkPeer(
  { podSelector, namespaceSelector, ipBlock }: networkingv1.NetworkPolicyPeer,
  place: FaultPlace,
  options: NetworkPolicyOptions,
): void {
  checkLabelSelector(podSelector, place.at("podSelector"), options);
  checkLabelSelector(namespaceSelector, place.at("namespaceSelector"), options);
  if (ipBlock !== undefined) checkBlock(ipBlock, place.at("ipBlock"), options);
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) place.required("must specify a peer");
  else if (hasSelector && ipBlock !== undefined) place.forbidden("may not specify both ipBlock and another peer");
}

function checkBlock(
  { cidr, except = [] }: networkingv1.IPBlock,
  place: FaultPlace,
  { oldCidrs = [] }: NetworkPolicyOptions,
): void {
  const cidrPlace = place.at("cidr");
  if (isAbsent(cidr)) {
    cidrPlace.required();
    return;
  }
  checkLegacyCidr(cidr, cidrPlace, oldCidrs);
  const whole = parseCidr(cidr);
  if (whole === undefined) return;
  for (const [i, text] of except.entries()) {
    const exceptPlace = place.at("except").item(i);
    checkLegacyCidr(text, exceptPlace, oldCidrs);
    const part = parseCidr(text);
    if (part !== undefined && !isStrictPart(part, whole)) {
      exceptPlace.invalid(text, "must be a strict subset of `cidr`");
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
