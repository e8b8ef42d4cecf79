// Ports of a pod's containers that get in each other's way.
import { childPath, type corev1, type FieldPath, itemPath, printPath, quote } from "@kubeloop/core/api";
import { containerLists } from "./visit-containers.ts";

interface PlacedPort {
  readonly port: corev1.ContainerPort;
  readonly path: string;
}

export function portWarnings(spec: corev1.PodSpec, specPath: FieldPath): string[] {
  const ports = containerLists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container, i) =>
      (container.ports ?? []).map((port, j) => {
        const path = itemPath(childPath(itemPath(childPath(specPath, list), i), "ports"), j);
        return { port, path: printPath(path) };
      }),
    ),
  );
  const byPort = new Map<string, PlacedPort[]>();
  const found = ports.flatMap((placed) => {
    const key = `${placed.port.containerPort}/${placed.port.protocol}`;
    const earlier = byPort.get(key) ?? [];
    const warnings = collisions(placed, earlier);
    if (earlier.length < mostCompared) byPort.set(key, [...earlier, placed]);
    return warnings;
  });
  return [...found, ...repeatedNames(ports)];
}

/** Of ports with one number. Nobody reads more warnings than these make. */
const mostCompared = 50;

function collisions({ port, path }: PlacedPort, earlier: readonly PlacedPort[]): string[] {
  const { hostIP = "", hostPort = 0 } = port;
  const alone = hostIP !== "" && hostPort === 0 ? [`${path}: hostIP set without hostPort: ${printPort(port)}`] : [];
  const found = earlier.flatMap((other) => {
    const what = collision(
      { hostIP, hostPort },
      { hostIP: other.port.hostIP ?? "", hostPort: other.port.hostPort ?? 0 },
    );
    return what === undefined ? [] : [`${path}: ${what} port definition with ${other.path}`];
  });
  return [...alone, ...found];
}

interface HostPart {
  readonly hostIP: string;
  readonly hostPort: number;
}

function collision(a: HostPart, b: HostPart): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return "duplicate";
  if (a.hostPort === 0 || b.hostPort === 0) return "overlapping";
  const oneIsOpen = (a.hostIP === "") !== (b.hostIP === "");
  return a.hostPort === b.hostPort && oneIsOpen ? "dangerously ambiguous" : undefined;
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

function repeatedNames(ports: readonly PlacedPort[]): string[] {
  const paths = new Map<string, string>();
  const warnings: string[] = [];
  for (const { port, path } of ports) {
    const name = port.name ?? "";
    if (name === "") continue;
    const other = paths.get(name);
    if (other === undefined) {
      paths.set(name, path);
      continue;
    }
    const use = `services and probes that select ports by name will use ${other}`;
    warnings.push(`${path}: duplicate port name ${quote(name)} with ${other}, ${use}`);
  }
  return warnings;
}
