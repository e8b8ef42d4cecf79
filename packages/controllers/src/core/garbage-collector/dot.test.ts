import type { KubernetesObject } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { Collector, named } from "./collector.fixture.ts";
import { printDot } from "./dot.ts";
import { OwnerGraph } from "./model.ts";

const pod = (uid: string, ...owners: readonly KubernetesObject[]) => named("v1", "Pod", `shop/${uid}`, { uid, owners });
const charlie = pod("charlie");
const golf = pod("golf");
const foxtrot = pod("foxtrot", golf);
const twoChains = () =>
  new Collector().show(
    charlie,
    pod("bravo"),
    pod("alpha", pod("bravo"), charlie),
    golf,
    foxtrot,
    pod("delta", foxtrot),
    pod("echo"),
  ).graph;

const edgesOf = (dot: string) =>
  [...dot.matchAll(/^ {2}(".*" -> ".*");$/gm)].map(([, edge]) => edge?.replaceAll('"', ""));
const nodesOf = (dot: string) => [...dot.matchAll(/^ {2}"(.*)" \[$/gm)].map(([, node]) => node);
const print = (graph: OwnerGraph, uids?: readonly string[]) => [...printDot(graph, uids)].join("");

test("an empty graph", () => expect(print(new OwnerGraph())).toBe("strict digraph full {\n}\n"));

test("all that owns or is owned, in the order of uids", () => {
  const dot = print(twoChains());
  expect(nodesOf(dot)).toEqual(["alpha", "bravo", "charlie", "delta", "foxtrot", "golf"]);
  expect(edgesOf(dot)).toEqual(["alpha -> bravo", "alpha -> charlie", "delta -> foxtrot", "foxtrot -> golf"]);
});

test.each<[string, readonly string[], readonly string[]]>([
  ["an owner", ["golf"], ["delta", "foxtrot", "golf"]],
  ["a child", ["delta"], ["delta", "foxtrot", "golf"]],
  ["an owner with a child that has another owner", ["bravo"], ["alpha", "bravo", "charlie"]],
  ["one of each", ["delta", "charlie"], ["alpha", "bravo", "charlie", "delta", "foxtrot", "golf"]],
  ["one that neither owns nor is owned", ["echo"], []],
  ["one that is not there", ["zulu"], []],
])("only what is connected with %s", (_, uids, expected) =>
  expect(nodesOf(print(twoChains(), uids))).toEqual(expected),
);

test("an owner that is gone is missing", () => {
  const graph = new Collector().show(charlie, pod("alpha", charlie)).showDeleted(charlie).graph;
  const dot = print(graph);
  expect(nodesOf(dot)).toEqual(["alpha", "charlie"]);
  expect(dot).toContain('label="uid=charlie\\nnamespace=\\nPod.v1/charlie\\nmissingFromGraph\\n"');
  expect(dot).toContain('missing="true"');
});

test("texts are quoted, and states are named", () => {
  const uid = 'ref1-[]"\\Iñtërnâtiônàlizætiøn,🐹';
  const metadata = { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["foregroundDeletion"] };
  const owner = named("apps/v1", "Deployment", "ns2/web", { uid: "ref2" });
  const graph = new Collector().show(named("v1", "ConfigMap", "ns2/🐹", { uid, owners: [owner], ...metadata })).graph;
  expect(print(graph)).toBe(`strict digraph full {
  // Node definitions.
  "ref1-[]\\"\\\\Iñtërnâtiônàlizætiøn,🐹" [
    label="uid=ref1-[]\\"\\\\Iñtërnâtiônàlizætiøn,🐹\\nnamespace=ns2\\nConfigMap.v1/🐹\\nbeingDeleted,deletingDependents\\n"
    group=""
    version="v1"
    kind="ConfigMap"
    namespace="ns2"
    name="🐹"
    uid="ref1-[]\\"\\\\Iñtërnâtiônàlizætiøn,🐹"
    missing="false"
    beingDeleted="true"
    deletingDependents="true"
    virtual="false"
  ];
  "ref2" [
    label="uid=ref2\\nnamespace=ns2\\nDeployment.v1.apps/web\\nvirtual\\n"
    group="apps"
    version="v1"
    kind="Deployment"
    namespace="ns2"
    name="web"
    uid="ref2"
    missing="false"
    beingDeleted="false"
    deletingDependents="false"
    virtual="true"
  ];
  // Edge definitions.
  "ref1-[]\\"\\\\Iñtërnâtiônàlizætiøn,🐹" -> "ref2";
}
`);
});
