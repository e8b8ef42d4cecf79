import { nodes } from "@kubeloop/core/resources";
import { newNode, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { ClusterSize } from "./model.ts";
import { observe } from "./observe.ts";

const node = stored(newNode("n1"));
const snapshot = plainSnapshot([[nodes, [node]]]);
const model = new ClusterSize();
for (let i = 0; i < 101; i++) model.grow();

test("a key without a node is nothing to look at", () => {
  expect(observe("n2", { snapshot, model, nowMs: 0 })).toBeUndefined();
});

test("it sees the node, and what the size of the cluster asks for", () => {
  expect(observe("n1", { snapshot, model, nowMs: 0 })).toEqual({ node, ttlSeconds: 15 });
});
