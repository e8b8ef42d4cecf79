// What `kubeloop up` prints: for people, or one JSON object a line for programs.
import { relative } from "node:path";
import { kubernetesVersion } from "@kubeloop/apiserver";
import type { ControlPlane } from "../cluster/control-plane.ts";
import { kubeloopVersion } from "../version.ts";
import type { UpOptions } from "./up-options.ts";

export interface Ready {
  readonly url: string;
  /** Of the kubeconfig; undefined for one that kubectl finds by itself. */
  readonly path: string | undefined;
  /** Where a server that was there before reaches the nodes. */
  readonly nodeAddress?: string | undefined;
  readonly plane: Pick<ControlPlane, "controllers" | "nodeNames" | "scheduler">;
  readonly tookMs: number;
}

export interface UpOutput {
  print(text: string): void;
  readonly folder: string;
}

export function printReady(ready: Ready, output: UpOptions["output"], { print, folder }: UpOutput): void {
  if (output === "text") print(readyText(ready, folder));
  if (output === "json") print(`${JSON.stringify(readyFields(ready))}\n`);
}

export function printStopping(output: UpOptions["output"], { print }: UpOutput): void {
  if (output === "text") print("\nstopping\n");
  if (output === "json") print(`${JSON.stringify({ event: "stopping" })}\n`);
}

export function printDemo(text: string, output: UpOptions["output"], { print }: UpOutput): void {
  print(output === "json" ? `${JSON.stringify({ event: "demo", text })}\n` : `\n${text}\n`);
}

function readyFields({ url, path, plane, tookMs }: Ready) {
  return {
    event: "ready",
    server: url,
    kubeconfig: path,
    controllers: plane.controllers,
    scheduler: plane.scheduler !== undefined,
    nodes: plane.nodeNames,
    tookMs: Math.round(tookMs),
  };
}

function readyText({ url, path, plane, tookMs, nodeAddress }: Ready, folder: string): string {
  const { controllers, nodeNames, scheduler } = plane;
  const shortNames = controllers.map((name) => name.replace(/-controller$/, ""));
  return `kubeloop ${kubeloopVersion}: Kubernetes ${kubernetesVersion.gitVersion}, ready in ${(tookMs / 1000).toFixed(1)} s

  server       ${url}
  kubeconfig   ${path === undefined ? "as kubectl finds it" : shownPath(path, folder)}
  nodes        ${nodesText(nodeNames)}
  scheduler    ${scheduler === undefined ? "none" : "default-scheduler"}
  controllers  ${wrapped(shortNames.join(", ") || "none")}

Try:
  ${path === undefined ? "" : `export KUBECONFIG="${exportedPath(path, folder)}"\n  `}${tryText(powersOf(plane))}

${limitsText(powersOf(plane))}${nodeAddress === undefined ? "" : `The server asks the nodes for logs and exec at ${nodeAddress}; --node-address changes that.\n`}Ctrl-C stops.
`;
}

const isInside = (path: string, folder: string) => !relative(folder, path).startsWith("..");
const shownPath = (path: string, folder: string) => (isInside(path, folder) ? `./${relative(folder, path)}` : path);
const exportedPath = (path: string, folder: string) =>
  isInside(path, folder) ? `$PWD/${relative(folder, path)}` : path;

/** How far a pod gets on this control plane. */
type Powers = "pods run" | "pods are not placed" | "objects only";

const powersOf = ({ controllers, nodeNames, scheduler }: Ready["plane"]): Powers => {
  if (controllers.length === 0) return "objects only";
  return nodeNames.length > 0 && scheduler !== undefined ? "pods run" : "pods are not placed";
};

function tryText(powers: Powers): string {
  if (powers === "pods run")
    return "kubectl create deployment web --image=nginx --replicas=3 && kubectl get pods --watch";
  return "kubectl create namespace shop && kubectl get configmaps --namespace shop";
}

/** What people would wait for in vain. */
function limitsText(powers: Powers): string {
  switch (powers) {
    case "pods run":
      return "Containers are pretended. No controller serves LoadBalancer Services or Ingresses: they get no address.\nNo metrics are served: kubectl top and autoscalers have nothing to go by.\n";
    case "pods are not placed":
      return "Without nodes and a scheduler pods stay Pending.\n";
    case "objects only":
      return "No controllers run: objects stay as they are written.\n";
  }
}

function nodesText(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const shown = names.length > 4 ? `${names[0]} to ${names.at(-1)}` : names.join(", ");
  return `${shown} (hollow: they run nothing, and pods look as if they ran)`;
}

/** Lines of a width that most terminals have. */
function wrapped(text: string): string {
  const indent = " ".repeat(15);
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length > 0 && line.length + word.length >= 100) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}
