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
import { checkLegacyIp, ipWarnings } from "../shared/ip-address.ts";
import { printAge } from "../shared/print-age.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

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
  return collectFaults("subsets", (fldPath) => {
    for (const [i, subset] of subsets.entries()) checkSubset(subset, fldPath.item(i));
  });
}

function checkSubset(subset: corev1.EndpointSubset, fldPath: ValidationPath): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length + notReadyAddresses.length === 0) {
    fldPath.required("must specify `addresses` or `notReadyAddresses`");
  }
  for (const [i, address] of addresses.entries()) checkAddress(address, fldPath.at("addresses").item(i));
  for (const [i, address] of notReadyAddresses.entries())
    checkAddress(address, fldPath.at("notReadyAddresses").item(i));
  for (const [i, port] of ports.entries()) checkPort(port, fldPath.at("ports").item(i), ports.length > 1);
}

function checkAddress({ ip, hostname, nodeName }: corev1.EndpointAddress, fldPath: ValidationPath): void {
  checkLegacyIp(ip, fldPath.at("ip"));
  if (!isAbsent(hostname)) fldPath.at("hostname").invalidFor(hostname, validateDns1123Label(hostname));
  if (nodeName !== undefined) fldPath.at("nodeName").invalidFor(nodeName, validateDns1123Subdomain(nodeName));
  checkEndpointIp(ip, fldPath.at("ip"));
}

function checkPort(port: corev1.EndpointPort, fldPath: ValidationPath, isNameNeeded: boolean): void {
  const { name, port: number, protocol, appProtocol } = port;
  if (!isAbsent(name)) fldPath.at("name").invalidFor(name, validateDns1123Label(name));
  else if (isNameNeeded) fldPath.at("name").required();
  fldPath.at("port").invalidFor(number, validatePortNumber(number));
  checkChoice(protocol, fldPath.at("protocol"), protocols);
  if (appProtocol !== undefined) fldPath.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
}

/** Of addresses that somebody wrote by hand. */
function spellingWarnings({ metadata, subsets = [] }: Endpoints): string[] {
  if (metadata.labels?.[managedBy] === "endpoint-controller") return [];
  const warnings: string[] = [];
  collectFaults("subsets", (fldPath) => {
    for (const [i, subset] of subsets.entries()) {
      for (const list of ["addresses", "notReadyAddresses"] as const) {
        for (const [j, { ip }] of (subset[list] ?? []).entries()) {
          warnings.push(...ipWarnings(ip, fldPath.item(i).at(list).item(j).at("ip")));
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
