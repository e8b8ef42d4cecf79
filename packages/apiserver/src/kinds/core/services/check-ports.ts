// What must hold of a service's ports: each a name and a number of its own.
import {
  type corev1,
  validateDns1123Label,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { checkChoice, isAbsent } from "../../shared/checks.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";
import type { Spec } from "./service-traits.ts";

type Port = corev1.ServicePort;

const protocols = ["SCTP", "TCP", "UDP"];

export function checkPorts(ports: readonly Port[], fldPath: ValidationPath): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    checkName(port.name, fldPath.item(i).at("name"), { isNeeded: ports.length > 1, names });
    checkPort(port, fldPath.item(i));
  }
}

function checkName(
  name: string | undefined,
  fldPath: ValidationPath,
  { isNeeded, names }: { readonly isNeeded: boolean; readonly names: Set<string> },
): void {
  if (isAbsent(name)) {
    if (isNeeded) fldPath.required();
    return;
  }
  fldPath.invalidFor(name, validateDns1123Label(name));
  if (names.has(name)) fldPath.duplicate(name);
  names.add(name);
}

function checkPort({ port, protocol, targetPort, appProtocol }: Port, fldPath: ValidationPath): void {
  fldPath.at("port").invalidFor(port, validatePortNumber(port));
  checkChoice(protocol, fldPath.at("protocol"), protocols);
  const target = targetPort ?? 0;
  fldPath
    .at("targetPort")
    .invalidFor(target, typeof target === "number" ? validatePortNumber(target) : validatePortName(target));
  if (appProtocol !== undefined) fldPath.at("appProtocol").invalidFor(appProtocol, validateQualifiedName(appProtocol));
}

/** Ports on nodes: none where the type has none, and each once. `fldPath` is that of the ports. */
export function checkNodePorts({ type, ports = [] }: Spec, fldPath: ValidationPath): void {
  if (type === "ClusterIP") {
    for (const [i, { nodePort = 0 }] of ports.entries()) {
      if (nodePort !== 0) fldPath.item(i).at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
    }
  }
  const seen = new Set<string>();
  for (const [i, { nodePort = 0, protocol }] of ports.entries()) {
    const identity = `${protocol}/${nodePort}`;
    if (nodePort !== 0 && seen.has(identity)) fldPath.item(i).at("nodePort").duplicate(nodePort);
    seen.add(identity);
  }
}

export function checkTwice(ports: readonly Port[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, { port, protocol = "" }] of ports.entries()) {
    const identity = `${protocol}/${port}`;
    if (seen.has(identity)) fldPath.item(i).duplicate(shownPort(protocol, port));
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
