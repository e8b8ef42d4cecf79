// The containers of a pod or of a pod template: what they are, how they are, and what they get.
import type { corev1 } from "@kubeloop/core/api";
import { canonicalQuantity } from "@kubeloop/core/api";
import { writeEnvironment, writeEnvironmentSources } from "./container-environment.ts";
import { type Description, sortedKeys } from "./description.ts";
import { printProbe } from "./probe.ts";
import { printLocalTime } from "./times.ts";

export type DescribedContainer = corev1.Container | corev1.EphemeralContainer;
type Status = corev1.ContainerStatus;

export interface ContainerGroup {
  readonly title: string;
  readonly containers: readonly DescribedContainer[] | undefined;
  readonly statuses?: readonly Status[] | undefined;
  /** Whose fields the environment may refer to; a template has no values for them. */
  readonly pod?: corev1.Pod;
  /** Inside of a template everything is further to the right. */
  readonly isTemplate?: boolean;
}

export function writeContainers(to: Description, group: ContainerGroup): void {
  const { title, containers = [], statuses = [], pod, isTemplate = false } = group;
  to.write(`${isTemplate ? "  " : ""}${title}:${containers.length === 0 ? " <none>" : ""}\n`);
  for (const container of containers) {
    const status = statuses.findLast(({ name }) => name === container.name);
    to.line(1, `${isTemplate ? " " : ""}${container.name}:`);
    writeImage(to, container, status);
    writeWords(to, "Command:", container.command);
    writeWords(to, "Args:", container.args);
    if (status !== undefined) writeStatus(to, status);
    writeResources(to, 2, container.resources);
    if (container.livenessProbe !== undefined) to.line(2, "Liveness:", printProbe(container.livenessProbe));
    if (container.readinessProbe !== undefined) to.line(2, "Readiness:", printProbe(container.readinessProbe));
    if (container.startupProbe !== undefined) to.line(2, "Startup:", printProbe(container.startupProbe));
    writeEnvironmentSources(to, container);
    writeEnvironment(to, container, pod);
    writeMounts(to, container);
  }
}

function writeImage(to: Description, { image, ports, securityContext }: DescribedContainer, status?: Status): void {
  if (status !== undefined) to.line(2, "Container ID:", status.containerID);
  to.line(2, "Image:", image);
  if (status !== undefined) to.line(2, "Image ID:", status.imageID);
  writePorts(to, "Port", ports, ({ containerPort }) => containerPort);
  writePorts(to, "Host Port", ports, ({ hostPort = 0 }) => hostPort);
  const profile = securityContext?.seccompProfile;
  if (profile === undefined) return;
  to.line(2, "SeccompProfile:", profile.type);
  if (profile.type === "Localhost") to.line(3, "LocalhostProfile:", profile.localhostProfile);
}

type Port = corev1.ContainerPort;

function writePorts(
  to: Description,
  title: string,
  ports: readonly Port[] = [],
  numberOf: (port: Port) => number,
): void {
  const printed = ports.map((port) => {
    const text = `${numberOf(port)}/${port.protocol ?? ""}`;
    return (port.name ?? "") === "" ? text : `${text} (${port.name})`;
  });
  to.line(2, printed.length > 1 ? `${title}s:` : `${title}:`, printed.join(", ") || "<none>");
}

/** A word of several lines has several lines. */
function writeWords(to: Description, title: string, words: readonly string[] = []): void {
  if (words.length > 0) to.line(2, title);
  for (const line of words.flatMap((word) => word.split("\n"))) to.line(3, line);
}

function writeStatus(to: Description, { state, lastState, ready, restartCount }: Status): void {
  writeState(to, "State:", state);
  if (lastState?.terminated !== undefined) writeState(to, "Last State:", lastState);
  to.line(2, "Ready:", ready ? "True" : "False");
  to.line(2, "Restart Count:", restartCount);
}

function writeState(to: Description, title: string, state: corev1.ContainerState = {}): void {
  const { running, waiting, terminated } = state;
  if (running !== undefined) {
    to.line(2, title, "Running");
    to.line(3, "Started:", printLocalTime(running.startedAt));
  } else if (waiting !== undefined || terminated === undefined) {
    to.line(2, title, "Waiting");
    if ((waiting?.reason ?? "") !== "") to.line(3, "Reason:", waiting?.reason);
  } else {
    const { reason = "", message = "", exitCode, signal = 0, startedAt, finishedAt } = terminated;
    to.line(2, title, "Terminated");
    if (reason !== "") to.line(3, "Reason:", reason);
    if (message !== "") to.line(3, "Message:", message);
    to.line(3, "Exit Code:", exitCode);
    if (signal > 0) to.line(3, "Signal:", signal);
    to.line(3, "Started:", printLocalTime(startedAt));
    to.line(3, "Finished:", printLocalTime(finishedAt));
  }
}

export function writeResources(
  to: Description,
  level: number,
  { limits, requests }: Partial<corev1.ResourceRequirements> = {},
): void {
  for (const [title, list] of [
    ["Limits:", limits],
    ["Requests:", requests],
  ] as const) {
    const names = sortedKeys(list);
    if (names.length > 0) to.line(level, title);
    for (const name of names) to.line(level + 1, `${name}:`, canonicalQuantity(list?.[name] ?? "0"));
  }
}

function writeMounts(to: Description, { volumeMounts = [], volumeDevices = [] }: DescribedContainer): void {
  const none = volumeMounts.length === 0 ? ["<none>"] : [];
  to.line(2, "Mounts:", ...none);
  for (const { mountPath, name, readOnly, subPath = "" } of sortedBy(volumeMounts, (mount) => mount.mountPath)) {
    const flags = [readOnly === true ? "ro" : "rw", ...(subPath === "" ? [] : [`path=${JSON.stringify(subPath)}`])];
    to.line(3, `${mountPath} from ${name} (${flags.join(",")})`);
  }
  if (volumeDevices.length === 0) return;
  // It is the mounts that are none.
  to.line(2, "Devices:", ...none);
  for (const { devicePath, name } of sortedBy(volumeDevices, (device) => device.devicePath))
    to.line(3, `${devicePath} from ${name}`);
}

export function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return items.toSorted((a, b) => compareTexts(keyOf(a), keyOf(b)));
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
