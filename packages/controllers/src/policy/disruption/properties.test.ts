import { podDisruptionBudgets, pods, replicaSets } from "@kubeloop/core/resources";
import { findPropertyFaults, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newBudget, nowMs, ownerOf, podOf, secondsAgo, served } from "./budget.fixture.ts";
import { newDisruptionController } from "./controller.ts";

const set = ownerOf(replicaSets, "rs", 4);
const target = { type: "DisruptionTarget", status: "True", lastTransitionTime: secondsAgo(500) };
const some = [
  podOf("a", { owner: set }),
  podOf("b", { owner: set, isReady: false }),
  podOf("c", { status: { conditions: [target] } }),
];

test("the disruption controller is declared, idempotent, bounded and total", () => {
  const specs = [
    {},
    { minAvailable: 1 },
    { minAvailable: "50%" },
    { maxUnavailable: 1 },
    { maxUnavailable: "150%" },
    { maxUnavailable: "x" },
  ];
  const statuses = [undefined, {}, { disruptedPods: { a: secondsAgo(10), b: secondsAgo(500) } }];
  const worlds = specs.flatMap((spec) =>
    statuses.flatMap((status) =>
      [[], some].map(
        (its): World => [
          [podDisruptionBudgets, [newBudget(spec, status === undefined ? {} : { status })]],
          [pods, its],
          [replicaSets, [set]],
        ],
      ),
    ),
  );
  const keys = [
    { queue: "budgets", key: "shop/guard" },
    { queue: "recheck", key: "shop/guard" },
    { queue: "pods", key: "shop/c" },
  ];
  expect(findPropertyFaults(newDisruptionController(), worlds, { maxActions: 1, served, keys, nowMs })).toEqual([]);
});
