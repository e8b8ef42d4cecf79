import { nodes } from "@kubeloop/core/resources";
import { findPropertyFaults, newNode, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newTtlController } from "./controller.ts";
import { ttlAnnotation } from "./decide.ts";

test("the ttl controller is declared, idempotent, bounded and total", () => {
  const worlds = [1, 101].map((count): World => {
    const all = Array.from({ length: count }, (_, i) =>
      stored(newNode(`n${i}`, i % 2 === 0 ? {} : { metadata: { annotations: { [ttlAnnotation]: "7" } } })),
    );
    return [[nodes, all]];
  });
  const keys = [
    { queue: "nodes", key: "n0" },
    { queue: "nodes", key: "n1" },
  ];
  expect(findPropertyFaults(newTtlController(), worlds, { maxActions: 1, maxPlans: 1, keys })).toEqual([]);
});
