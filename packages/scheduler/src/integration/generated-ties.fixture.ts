// Cases in which preemption has a choice: several nodes with the same victims, and perhaps one that is worse. Which of the equal ones upstream takes is left to
// chance.
import { seededRandom } from "@kubeloop/core/base";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { drawFrom, type GeneratedCase, times } from "./generated-case.fixture.ts";
import { noStorage } from "./generated-volumes.fixture.ts";

export function generateTies(seed: string): GeneratedCase {
  const draw = drawFrom(seededRandom(seed));
  const equal = times(2 + draw.below(2), (index) => node(`${seed}-equal-${index}`));
  // Two of them leave no room for the preemptor.
  const shape = times(2 + draw.below(2), () => ({
    priorityClassName: draw.one(["low", "low", "middle"]),
    cpu: draw.one(["300m", "310m", "320m"]),
  }));
  const isLow = shape.every(({ priorityClassName }) => priorityClassName === "low");
  const worse = times(isLow ? 1 : 0, (index) => node(`${seed}-worse-${index}`));
  const victims = equal.flatMap(({ metadata: { name = "" } }) =>
    shape.map(({ priorityClassName, cpu }, index) => pod(`${name}-${index}`, cpu, priorityClassName, name)),
  );
  // A victim of higher priority is worse than any number of others.
  const kept = worse.map(({ metadata: { name = "" } }) => pod(`${name}-kept`, "1", "middle", name));
  const cpu = draw.one(["1", "900m", "750m"]);
  return {
    nodes: draw.chance(0.5) ? [...equal, ...worse] : [...worse, ...equal],
    bound: [...victims, ...kept],
    terminating: [],
    services: [],
    replicaSets: [],
    budgets: [],
    storage: noStorage,
    pending: [pod(`${seed}-preemptor`, cpu, "high")],
  };
}

function node(name: string): Node {
  const allocatable = { cpu: "1", memory: "4Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec: {},
    status: { allocatable, capacity: allocatable },
  };
}

function pod(name: string, cpu: string, priorityClassName: string, nodeName?: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "red" },
    spec: {
      containers: [{ name: "app", image: "app", resources: { requests: { cpu } } }],
      priorityClassName,
      terminationGracePeriodSeconds: 0,
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  };
}
