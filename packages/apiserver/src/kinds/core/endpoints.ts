// Endpoints: where a service's traffic goes, in subsets that share their ports.
import {
  type corev1,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortNumber,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { endpoints } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkChoice, isAbsent } from "../shared/checks.ts";
import { checkEndpointIp } from "../shared/endpoint-ip.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { checkLegacyIp, ipWarnings } from "../shared/ip-address.ts";
import { printAge } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";

type Endpoints = corev1.Endpoints;

const protocols = ["SCTP", "TCP", "UDP"];
const managedBy = "endpoints.kubernetes.io/managed-by";
const shownAddresses = 3;

export const endpointsRules: KindRules<Endpoints> = {
  resource: endpoints,
  metadataOnUpdate: ["changes", "whole"],
  createsOnUpdate: true,
  defaults({ subsets = [] }) {
    for (const { ports = [] } of subsets) {
      for (const port of ports) if (isAbsent(port.protocol)) port.protocol = "TCP";
    }
  },
  validate: checkSubsets,
  // What an older server let pass may stay.
  validateUpdate: (object, old) => (isSame(object.subsets, old.subsets) ? [] : checkSubsets(object)),
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  warnings: spellingWarnings,
  printRow: (object, { nowMs }) => [
    object.metadata.name,
    printAddresses(object.subsets ?? []),
    printAge(object.metadata.creationTimestamp, nowMs),
  ],
};

function checkSubsets({ subsets = [] }: Endpoints) {
  return collectFaults("subsets", (place) => {
    for (const [i, subset] of subsets.entries()) checkSubset(subset, place.item(i));
  });
}

function checkSubset(subset: corev1.EndpointSubset, place: FaultPlace): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length + notReadyAddresses.length === 0) {
    place.required("must specify `addresses` or `notReadyAddresses`");
  }
  for (const [i, address] of addresses.entries()) checkAddress(address, place.at("addresses").item(i));
  for (const [i, address] of notReadyAddresses.entries()) checkAddress(address, place.at("notReadyAddresses").item(i));
  for (const [i, port] of ports.entries()) checkPort(port, place.at("ports").item(i), ports.length > 1);
}

function checkAddress({ ip, hostname, nodeName }: corev1.EndpointAddress, place: FaultPlace): void {
  checkLegacyIp(ip, place.at("ip"));
  if (!isAbsent(hostname)) place.at("hostname").invalidFor(hostname, validateDns1123Label(hostname));
  if (nodeName !== undefined) place.at("nodeName").invalidFor(nodeName, validateDns1123Subdomain(nodeName));
  checkEndpointIp(ip, place.at("ip"));
}

function checkPort(port: corev1.EndpointPort, place: FaultPlace, isNameNeeded: boolean): void {
  const { name, port: number, protocol, appProtocol } = port;
  if (!isAbsent(name)) place.at("name").invalidFor(name, validateDns1123Label(name));
  else if (isNameNeeded) place.at("name").required();
  place.at("port").invalidFor(number, validatePortNumber(number));
  checkChoice(protocol, place.at("protocol"), protocols);
  if (appProtocol !== undefined) place.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
}

/** Of addresses that somebody wrote by hand. */
function spellingWarnings({ metadata, subsets = [] }: Endpoints): string[] {
  if (metadata.labels?.[managedBy] === "endpoint-controller") return [];
  const warnings: string[] = [];
  collectFaults("subsets", (place) => {
    for (const [i, subset] of subsets.entries()) {
      for (const list of ["addresses", "notReadyAddresses"] as const) {
        for (const [j, { ip }] of (subset[list] ?? []).entries()) {
          warnings.push(...ipWarnings(ip, place.item(i).at(list).item(j).at("ip")));
        }
      }
    }
  });
  return warnings;
}

function printAddresses(subsets: readonly corev1.EndpointSubset[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  const shown = all.slice(0, shownAddresses).join(",");
  return all.length > shownAddresses ? `${shown} + ${all.length - shownAddresses} more...` : shown;
}
