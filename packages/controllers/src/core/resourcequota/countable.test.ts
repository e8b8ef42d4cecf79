import { defineResource, type Resource } from "@kubeloop/core/api";
import { deviceClasses, events, namespaces, pods, resourceClaims, secrets } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { countableResources, hasDeviceClasses } from "./countable.ts";
import { newServed, widgets } from "./quota.fixture.ts";

const countable = (...resources: readonly Resource[]) =>
  [...countableResources(newServed(...resources))].map(([id, { resource, needsObjects }]) => [
    id,
    resource.version,
    needsObjects,
  ]);

test("what is in namespaces and can be created, listed, watched and deleted is counted, but no events", () => {
  const readOnly = {
    ...defineResource({ group: "example.com", version: "v1", kind: "Fact", plural: "facts" }),
    verbs: ["list", "watch"],
  };
  expect(countable(pods, secrets, namespaces, events, widgets, readOnly)).toEqual([
    ["pods.", "v1", true],
    ["secrets.", "v1", false],
    ["widgets.example.com", "v1", false],
  ]);
});

test("what has rules of its own is read in the version that these know, or not at all", () => {
  const older = { ...resourceClaims, version: "v1beta1", apiVersion: "resource.k8s.io/v1beta1" };
  expect(countable(older)).toEqual([]);
  expect(countable(older, resourceClaims)).toEqual([["resourceclaims.resource.k8s.io", "v1", true]]);
});

test("it is computed once for each discovery", () => {
  const served = newServed(pods);
  expect(countableResources(served)).toBe(countableResources(served));
});

test("whether there are device classes", () => {
  expect([hasDeviceClasses(newServed(deviceClasses)), hasDeviceClasses(newServed(pods))]).toEqual([true, false]);
});
