import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { findObjectFault, isTable } from "./object-check.ts";

const metadata = { name: "a" };

describe("a table", () => {
  test.each([
    ["is one in meta.k8s.io/v1beta1", "meta.k8s.io/v1beta1", "Table", true],
    ["is one in meta.k8s.io/v1", "meta.k8s.io/v1", "Table", true],
    ["is none of another group", "custom.group/v1", "Table", false],
    ["is no pod", "v1", "Pod", false],
  ])("%s", (_, apiVersion, kind, expected) => {
    expect(isTable({ apiVersion, kind })).toBe(expected);
  });
});

describe("what is wrong with an object", () => {
  const pod = { apiVersion: "v1", kind: "Pod" };
  const widget = { apiVersion: "mygroup/v1", kind: "MyKind" };
  test.each([
    ["nothing, where nothing is expected of it", { ...widget, metadata }, undefined, undefined],
    ["nothing, where it is what is expected", { ...widget, metadata }, widget, undefined],
    ["that it is of another kind", { ...pod, metadata }, widget, "it is a Pod of v1, not a MyKind of mygroup/v1"],
    ["that it is a table", { apiVersion: "meta.k8s.io/v1", kind: "Table", metadata }, undefined, "it is a table"],
    ["that it has no metadata", pod, pod, "it has no metadata"],
  ])("%s", (_, object, expected, fault) => {
    expect(findObjectFault(object as KubernetesObject, expected)).toBe(fault);
  });
});
