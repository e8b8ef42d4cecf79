import type { Node } from "@kubeloop/core/types/core/v1";
import { expect, test } from "vitest";
import { filterAlone, node, type PodFacts, pod } from "../cluster.fixture.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";

const lacking = "UU node(s) didn't match Pod's required features";
const declaring = (name: string, ...declaredFeatures: readonly string[]): Node => {
  const made = node(name);
  return { ...made, status: { ...made.status, declaredFeatures } } as Node;
};
const nodes = [
  node("old"),
  declaring("restarts", "RestartAllContainersOnContainerExits"),
  declaring("both", "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"),
];
const restarting = { restartPolicyRules: [{ action: "RestartAllContainers" }] };

test.each<[string, PodFacts, object]>([
  ["a pod that uses nothing special", {}, { all: "skip" }],
  ["a container that restarts the others", { container: restarting }, { old: lacking, restarts: "ok", both: "ok" }],
  [
    "an init container that restarts the others",
    { spec: { initContainers: [{ name: "init", ...restarting }] } },
    { old: lacking, restarts: "ok", both: "ok" },
  ],
  [
    "a rule that restarts only its container",
    { container: { restartPolicyRules: [{ action: "Restart" }] } },
    { all: "skip" },
  ],
  [
    "own users on the host's network",
    { spec: { hostNetwork: true, hostUsers: false } },
    { old: lacking, restarts: lacking, both: "ok" },
  ],
  ["the host's users on its network", { spec: { hostNetwork: true, hostUsers: true } }, { all: "skip" }],
])("%s", (_, facts, expected) => {
  expect(filterAlone(nodeDeclaredFeatures, pod("p", facts), { nodes })).toEqual(expected);
});
