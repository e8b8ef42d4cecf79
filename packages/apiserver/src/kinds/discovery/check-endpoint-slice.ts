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
import { checkLegacyIp, parseIp } from "../shared/ip-address.ts";
import type { ObjectPaths } from "../shared/object-faults.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type EndpointSlice = discoveryv1.EndpointSlice;
type Endpoint = discoveryv1.Endpoint;

const mostAddresses = 100;
const mostPorts = 20_000;
const mostEndpoints = 1000;
const mostHints = 8;

export function checkEndpointSlice(slice: EndpointSlice, at: ObjectPaths, old?: EndpointSlice): void {
  const { addressType, ports, endpoints } = slice;
  const types = ["FQDN", "IPv4", "IPv6"];
  if (isAbsent(addressType)) at("addressType").required();
  else if (!types.includes(addressType)) at("addressType").notSupported(addressType, types);
  checkPorts(ports ?? [], at("ports"));
  // What was let in once may stay.
  if (old !== undefined && deepEqual(endpoints, old.endpoints)) return;
  checkEndpoints(endpoints ?? [], addressType, at("endpoints"));
}

function checkPorts(ports: readonly discoveryv1.EndpointPort[], fldPath: ValidationPath): void {
  if (ports.length > mostPorts) {
    fldPath.tooMany(ports.length, mostPorts);
    return;
  }
  const names = new Set<string>();
  for (const [i, { name = "", protocol, appProtocol }] of ports.entries()) {
    const portPath = fldPath.item(i);
    if (name !== "") checkDnsLabel(name, portPath.at("name"));
    if (names.has(name)) portPath.at("name").duplicate(name);
    names.add(name);
    const protocols = ["SCTP", "TCP", "UDP"];
    if (protocol === undefined) portPath.at("protocol").required();
    else if (!protocols.includes(protocol)) portPath.at("protocol").notSupported(protocol, protocols);
    if (appProtocol !== undefined) {
      portPath.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
    }
  }
}

function checkEndpoints(endpoints: readonly Endpoint[], type: string, fldPath: ValidationPath): void {
  if (endpoints.length > mostEndpoints) {
    fldPath.tooMany(endpoints.length, mostEndpoints);
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    const endpointPath = fldPath.item(i);
    checkAddresses(endpoint.addresses ?? [], type, endpointPath.at("addresses"));
    const { nodeName, hostname, hints } = endpoint;
    if (nodeName !== undefined) {
      endpointPath.at("nodeName").invalidFor(nodeName, validateDns1123Subdomain(nodeName));
    }
    if (hostname !== undefined) checkDnsLabel(hostname, endpointPath.at("hostname"));
    if (hints !== undefined) checkHints(hints, endpointPath.at("hints"));
  }
}

function checkAddresses(addresses: readonly string[], type: string, fldPath: ValidationPath): void {
  if (addresses.length === 0) fldPath.required("must contain at least 1 address");
  else if (addresses.length > mostAddresses) fldPath.tooMany(addresses.length, mostAddresses);
  for (const [i, address] of addresses.entries()) {
    const addressPath = fldPath.item(i);
    if (type === "FQDN") checkDomainName(address, addressPath);
    else if (type === "IPv4" || type === "IPv6") checkIp(address, type, addressPath, fldPath);
  }
}

function checkIp(address: string, family: "IPv4" | "IPv6", fldPath: ValidationPath, listPath: ValidationPath): void {
  const before = fldPath.faultCount;
  if (family === "IPv4") checkLegacyIp(address, fldPath);
  else checkCanonicalIp(address, fldPath);
  if (fldPath.faultCount > before) return;
  // Upstream's oddity: the whole list is reported.
  if (parseIp(address)?.family !== family) listPath.invalid(address, `must be an ${family} address`);
  checkEndpointIp(address, fldPath);
}

/** At least two parts; one dot at the end is passed over. */
function checkDomainName(text: string, fldPath: ValidationPath): void {
  if (text === "") {
    fldPath.required();
    return;
  }
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const reasons = validateDns1123Subdomain(name);
  if (reasons.length > 0) {
    fldPath.invalid(name, reasons.join(","));
    return;
  }
  const labels = name.split(".");
  if (labels.length < 2) {
    fldPath.invalid(name, "should be a domain with at least two segments separated by dots");
    return;
  }
  const bad = labels.find((label) => validateDns1123Label(label).length > 0);
  if (bad !== undefined) fldPath.invalid(bad, validateDns1123Label(bad).join(","));
}

interface Hint {
  readonly name: string;
}

function checkHints({ forZones = [], forNodes = [] }: discoveryv1.EndpointHints, fldPath: ValidationPath): void {
  if (!checkNames(forZones, fldPath.at("forZones"), validateLabelValue)) return;
  checkNames(forNodes, fldPath.at("forNodes"), validateDns1123Subdomain);
}

/** Whether there are few enough to look at. */
function checkNames(hints: readonly Hint[], fldPath: ValidationPath, validate: (name: string) => string[]): boolean {
  if (hints.length > mostHints) {
    fldPath.tooMany(hints.length, mostHints);
    return false;
  }
  const names = new Set<string>();
  for (const [i, { name }] of hints.entries()) {
    const namePath = fldPath.item(i).at("name");
    if (names.has(name)) namePath.duplicate(name);
    names.add(name);
    namePath.invalidFor(name, validate(name));
  }
  return true;
}
