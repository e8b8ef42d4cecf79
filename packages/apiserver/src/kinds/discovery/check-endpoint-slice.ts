// What a slice of endpoints may hold: not too much of anything, and addresses of its type that traffic can be sent to.
import {
  type discoveryv1,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { checkCanonicalIp } from "../shared/canonical-ip.ts";
import { checkDnsLabel, isAbsent } from "../shared/checks.ts";
import { checkEndpointIp } from "../shared/endpoint-ip.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLegacyIp, parseIp } from "../shared/ip-address.ts";
import type { ObjectPlaces } from "../shared/object-faults.ts";

type EndpointSlice = discoveryv1.EndpointSlice;
type Endpoint = discoveryv1.Endpoint;

const mostAddresses = 100;
const mostPorts = 20_000;
const mostEndpoints = 1000;
const mostHints = 8;

export function checkEndpointSlice(slice: EndpointSlice, at: ObjectPlaces, old?: EndpointSlice): void {
  const { addressType, ports, endpoints } = slice;
  const types = ["FQDN", "IPv4", "IPv6"];
  if (isAbsent(addressType)) at("addressType").required();
  else if (!types.includes(addressType)) at("addressType").notSupported(addressType, types);
  checkPorts(ports ?? [], at("ports"));
  // What was let in once may stay.
  if (old !== undefined && deepEqual(endpoints, old.endpoints)) return;
  checkEndpoints(endpoints ?? [], addressType, at("endpoints"));
}

function checkPorts(ports: readonly discoveryv1.EndpointPort[], place: FaultPlace): void {
  if (ports.length > mostPorts) {
    place.tooMany(ports.length, mostPorts);
    return;
  }
  const names = new Set<string>();
  for (const [i, { name = "", protocol, appProtocol }] of ports.entries()) {
    const portPlace = place.item(i);
    if (name !== "") checkDnsLabel(name, portPlace.at("name"));
    if (names.has(name)) portPlace.at("name").duplicate(name);
    names.add(name);
    const protocols = ["SCTP", "TCP", "UDP"];
    if (protocol === undefined) portPlace.at("protocol").required();
    else if (!protocols.includes(protocol)) portPlace.at("protocol").notSupported(protocol, protocols);
    if (appProtocol !== undefined) {
      portPlace.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
    }
  }
}

function checkEndpoints(endpoints: readonly Endpoint[], type: string, place: FaultPlace): void {
  if (endpoints.length > mostEndpoints) {
    place.tooMany(endpoints.length, mostEndpoints);
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const endpointPlace = place.item(i);
    checkAddresses(endpoint.addresses ?? [], type, endpointPlace.at("addresses"));
    const { nodeName, hostname, hints } = endpoint;
    if (nodeName !== undefined) {
      endpointPlace.at("nodeName").invalidFor(nodeName, validateDns1123Subdomain(nodeName));
    }
    if (hostname !== undefined) checkDnsLabel(hostname, endpointPlace.at("hostname"));
    if (hints !== undefined) checkHints(hints, endpointPlace.at("hints"));
  }
}

function checkAddresses(addresses: readonly string[], type: string, place: FaultPlace): void {
  if (addresses.length === 0) place.required("must contain at least 1 address");
  else if (addresses.length > mostAddresses) place.tooMany(addresses.length, mostAddresses);
  for (const [i, address] of addresses.entries()) {
    const addressPlace = place.item(i);
    if (type === "FQDN") checkDomainName(address, addressPlace);
    else if (type === "IPv4" || type === "IPv6") checkIp(address, type, addressPlace, place);
  }
}

function checkIp(address: string, family: "IPv4" | "IPv6", place: FaultPlace, listPlace: FaultPlace): void {
  const before = place.faultCount;
  if (family === "IPv4") checkLegacyIp(address, place);
  else checkCanonicalIp(address, place);
  if (place.faultCount > before) return;
  // Upstream's oddity: the whole list is told.
  if (parseIp(address)?.family !== family) listPlace.invalid(address, `must be an ${family} address`);
  checkEndpointIp(address, place);
}

/** At least two parts; one dot at the end is passed over. */
function checkDomainName(text: string, place: FaultPlace): void {
  if (text === "") {
    place.required();
    return;
  }
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const reasons = validateDns1123Subdomain(name);
  if (reasons.length > 0) {
    place.invalid(name, reasons.join(","));
    return;
  }
  const labels = name.split(".");
  if (labels.length < 2) {
    place.invalid(name, "should be a domain with at least two segments separated by dots");
    return;
  }
  const bad = labels.find((label) => validateDns1123Label(label).length > 0);
  if (bad !== undefined) place.invalid(bad, validateDns1123Label(bad).join(","));
}

interface Hint {
  readonly name: string;
}

function checkHints({ forZones = [], forNodes = [] }: discoveryv1.EndpointHints, place: FaultPlace): void {
  if (!checkNames(forZones, place.at("forZones"), validateLabelValue)) return;
  checkNames(forNodes, place.at("forNodes"), validateDns1123Subdomain);
}

/** Whether there are few enough to look at. */
function checkNames(hints: readonly Hint[], place: FaultPlace, validate: (name: string) => string[]): boolean {
  if (hints.length > mostHints) {
    place.tooMany(hints.length, mostHints);
    return false;
  }
  const names = new Set<string>();
  for (const [i, { name }] of hints.entries()) {
    const namePlace = place.item(i).at("name");
    if (names.has(name)) namePlace.duplicate(name);
    names.add(name);
    namePlace.invalidFor(name, validate(name));
  }
  return true;
}
