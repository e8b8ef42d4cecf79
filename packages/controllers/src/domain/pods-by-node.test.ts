import { pods } from "@kubeloop/core/resources";
import { newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { podsByNode } from "./pods-by-node.ts";

const pod = (name: string, nodeName?: string) =>
  stored(newPod(`shop/${name}`, nodeName === undefined ? {} : { spec: { nodeName } }));
const snapshot = plainSnapshot([[pods, [pod("a", "n1"), pod("b", "n2"), pod("c", "n1"), pod("d"), pod("e", "")]]]);

test.each([
  ["n1", ["a", "c"]],
  ["n2", ["b"]],
  ["n3", []],
  ["", []],
])("the pods of %j are %j", (node, names) => {
  expect(snapshot.byIndex(podsByNode, node).map(({ metadata }) => metadata.name)).toEqual(names);
});
