// Ports of a pod's containers that get in each other's way.
import { childPath, type corev1, type FieldPath, itemPath, printPath, quote } from "@kubeloop/core/api";
import { containerLists } from "./visit-containers.ts";

interface PlacedPort {
  readonly port: corev1.ContainerPort;
  readonly path: FieldPath;
}

/** More than a header holds, so that nobody misses the others. */
const mostWarnings = 100;

export function portWarnings(spec: corev1.PodSpec, specPath: FieldPath): string[] {
  const ports = containerLists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container, i) => {
      const path = childPath(itemPath(childPath(specPath, list), i), "ports");
      return (container.ports ?? []).map((port, j) => ({ port, path: itemPath(path, j) }));
    }),
  );
  const warnings: string[] = [];
  for (const found of [collisions(ports), repeatedNames(ports)]) {
    for (const warning of found) {
      if (warnings.push(warning) === mostWarnings) return warnings;
    }
  }
  return warnings;
}

/** How many of the ports with one number each is compared with. */
const mostCompared = 50;

function* collisions(ports: readonly PlacedPort[]): Generator<string> {
  const byPort = new Map<string, PlacedPort[]>();
  for (const placed of ports) {
    const { port, path } = placed;
    if ((port.hostIP ?? "") !== "" && (port.hostPort ?? 0) === 0) {
      yield `${printPath(path)}: hostIP set without hostPort: ${printPort(port)}`;
    }
    const key = `${port.containerPort}/${port.protocol}`;
    const earlier = byPort.get(key) ?? [];
    for (const other of earlier) {
      const what = collision(port, other.port);
      if (what !== undefined) yield `${printPath(path)}: ${what} port definition with ${printPath(other.path)}`;
    }
    if (earlier.length === 0) byPort.set(key, earlier);
    if (earlier.length < mostCompared) earlier.push(placed);
  }
}

function collision(a: corev1.ContainerPort, b: corev1.ContainerPort): string | undefined {
  const [ip, otherIp] = [a.hostIP ?? "", b.hostIP ?? ""];
  const [port, otherPort] = [a.hostPort ?? 0, b.hostPort ?? 0];
  if (ip === otherIp && port === otherPort) return "duplicate";
  if (port === 0 || otherPort === 0) return "overlapping";
  const oneIsOpen = (ip === "") !== (otherIp === "");
  return port === otherPort && oneIsOpen ? "dangerously ambiguous" : undefined;
}

/** As Go prints the structure. */
function printPort({
  name = "",
  hostPort = 0,
  containerPort,
  protocol = "",
  hostIP = "",
}: corev1.ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function* repeatedNames(ports: readonly PlacedPort[]): Generator<string> {
  const paths = new Map<string, FieldPath>();
  for (const { port, path } of ports) {
    const name = port.name ?? "";
    if (name === "") continue;
    const first = paths.get(name);
    if (first === undefined) {
      paths.set(name, path);
      continue;
    }
    const other = printPath(first);
    const use = `services and probes that select ports by name will use ${other}`;
    yield `${printPath(path)}: duplicate port name ${quote(name)} with ${other}, ${use}`;
  }
}
