import { describe, expect, test } from "vitest";
import { faultsOf, neededOf, withoutAllowed } from "./allowed-differences.contract.ts";
import allowed from "./allowed-differences.facts.json" with { type: "json" };

const reason = "ours is shorter";

test("the list allows nothing that users or controllers act on, and gives reasons", () => {
  expect(faultsOf(allowed)).toEqual([]);
});

describe("what may not be in the list", () => {
  test.each([
    [{ resource: "pods", field: "spec.nodeName", reason }, "pods spec.nodeName may not differ"],
    [{ resource: "pods", field: "status", reason }, "pods status may not differ"],
    [{ resource: "pods", field: "metadata", reason }, "pods metadata may not differ"],
    [{ resource: "pods", field: "metadata.ownerReferences", reason }, "pods metadata.ownerReferences may not differ"],
    [{ resource: "pods", field: "metadata.finalizers", reason }, "pods metadata.finalizers may not differ"],
    [{ resource: "events", field: "reason", reason }, "events reason: only messages of events may differ"],
    [{ resource: "pods", field: "metadata.annotations", reason: " " }, "pods metadata.annotations has no reason"],
  ])("%o", (row, fault) => {
    expect(faultsOf([row])).toEqual([fault]);
  });

  test.each([
    { resource: "pods", field: "metadata.annotations.note", reason },
    { resource: "events", field: "message", reason },
    { resource: "configmaps", field: "data", reason },
  ])("but %o may", (row) => {
    expect(faultsOf([row])).toEqual([]);
  });
});

describe("of two forms", () => {
  const form = (note: string) => ({
    pods: [{ metadata: { name: "a", annotations: { note, other: "x" } }, spec: { nodeName: "n" } }],
    secrets: [{ metadata: { annotations: { note: "kept" } } }],
  });
  const row = { resource: "pods", field: "metadata.annotations.note", reason };
  const stale = { resource: "pods", field: "metadata.labels", reason };

  test("an allowed field of that resource is left out, and nothing else", () => {
    expect(withoutAllowed(form("ours"), [row, stale])).toEqual({
      pods: [{ metadata: { name: "a", annotations: { other: "x" } }, spec: { nodeName: "n" } }],
      secrets: [{ metadata: { annotations: { note: "kept" } } }],
    });
  });

  test("an entry is needed where they differ in it", () => {
    expect(neededOf([row, stale], form("ours"), form("theirs"))).toEqual([row]);
    expect(neededOf([row, stale], form("same"), form("same"))).toEqual([]);
  });
});
