// What must hold of a service's ports: each a name and a number of its own.
import {
  type corev1,
  validateDns1123Label,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../../shared/checks.ts";
import type { FaultPlace } from "../../shared/fault-place.ts";
import type { Spec } from "./service-traits.ts";

type Port = corev1.ServicePort;

const protocols = ["SCTP", "TCP", "UDP"];

export function checkPorts(ports: readonly Port[], place: FaultPlace): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    checkName(port.name, place.item(i).at("name"), { isNeeded: ports.length > 1, names });
    checkPort(port, place.item(i));
  }
}

function checkName(
  name: string | undefined,
  place: FaultPlace,
  { isNeeded, names }: { readonly isNeeded: boolean; readonly names: Set<string> },
): void {
  if (isAbsent(name)) {
    if (isNeeded) place.required();
    return;
  }
  place.invalidFor(name, validateDns1123Label(name));
  if (names.has(name)) place.duplicate(name);
  names.add(name);
}

function checkPort({ port, protocol, targetPort, appProtocol }: Port, place: FaultPlace): void {
  place.at("port").invalidFor(port, validatePortNumber(port));
  checkChoice(protocol, place.at("protocol"), protocols);
  const target = targetPort ?? 0;
  place
    .at("targetPort")
    .invalidFor(target, typeof target === "number" ? validatePortNumber(target) : validatePortName(target));
  if (appProtocol !== undefined) place.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
}

/** Ports on nodes: none without a place for them, and each once. `place` is that of the ports. */
export function checkNodePorts({ type, ports = [] }: Spec, place: FaultPlace): void {
  if (type === "ClusterIP") {
    for (const [i, { nodePort = 0 }] of ports.entries()) {
      if (nodePort !== 0) place.item(i).at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
    }
  }
  const seen = new Set<string>();
  for (const [i, { nodePort = 0, protocol }] of ports.entries()) {
    const identity = `${protocol}/${nodePort}`;
    if (nodePort !== 0 && seen.has(identity)) place.item(i).at("nodePort").duplicate(nodePort);
    seen.add(identity);
  }
}

export function checkTwice(ports: readonly Port[], place: FaultPlace): void {
  const seen = new Set<string>();
  for (const [i, { port, protocol = "" }] of ports.entries()) {
    const identity = `${protocol}/${port}`;
    if (seen.has(identity)) place.item(i).duplicate(shownPort(protocol, port));
    seen.add(identity);
  }
}

/** As the server itself holds one of which nothing else is known. */
const shownPort = (protocol: string, port: number) => ({
  Name: "",
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});
