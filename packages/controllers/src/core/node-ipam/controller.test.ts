import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { cidrOf, newDualStack, newSmall } from "./controller.fixture.ts";
import { newNodeIpamController } from "./controller.ts";
import { nodeIpamScenarios, smallClusterScenarios } from "./scenarios.contract.ts";

describe("node-ipam on the embedded server", () => {
  defineRuns(nodeIpamScenarios, (run) => run(newDualStack()));
  defineRuns(smallClusterScenarios, (run) => run(newSmall()));
});

test("its queue has upstream's name and workers", () => {
  expect(newDualStack().queues["nodes"]).toMatchObject({ metricName: "cidrallocator_node", workers: 30 });
});

test("networks that do not fit are refused when it is made", () => {
  const ranges = [{ cidr: cidrOf("fd00::/40"), nodeBits: 64 }];
  expect(() => newNodeIpamController({ ranges })).toThrow("the node CIDR size is too big");
});
