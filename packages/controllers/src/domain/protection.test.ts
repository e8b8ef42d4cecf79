import { persistentVolumes } from "@kubeloop/core/resources";
import { newObject, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { lacksProtection, needsProtectionWork, waitsForRelease } from "./protection.ts";

const finalizer = "example.com/protection";
const newVolume = (isDeleted: boolean, finalizers: readonly string[]) =>
  stored(
    newObject(persistentVolumes, "disk", {
      metadata: { finalizers, ...(isDeleted ? { deletionTimestamp: "2030-01-01T00:00:00Z" } : {}) },
    }),
  );

test.each([
  ["a live object with the finalizer needs nothing", false, [finalizer], { lacks: false, waits: false }],
  ["a live object without it lacks protection", false, [], { lacks: true, waits: false }],
  ["a live object with another one lacks protection", false, ["example.com/other"], { lacks: true, waits: false }],
  ["a deleted object with it waits for its release", true, [finalizer], { lacks: false, waits: true }],
  [
    "a deleted object with it among others waits",
    true,
    ["example.com/other", finalizer],
    { lacks: false, waits: true },
  ],
  ["a deleted object without it needs nothing", true, [], { lacks: false, waits: false }],
  ["a deleted object with another one needs nothing", true, ["example.com/other"], { lacks: false, waits: false }],
])("%s", (_fact, isDeleted, finalizers, expected) => {
  const object = newVolume(isDeleted, finalizers);
  expect({ lacks: lacksProtection(object, finalizer), waits: waitsForRelease(object, finalizer) }).toEqual(expected);
  const needsWork = expected.lacks || expected.waits;
  const change = { resource: persistentVolumes, object } as const;
  expect(needsProtectionWork({ ...change, type: "add", isInitial: true }, finalizer)).toBe(needsWork);
  expect(needsProtectionWork({ ...change, type: "update", before: newVolume(false, []) }, finalizer)).toBe(needsWork);
});

test("an object that is gone needs nothing any more", () => {
  const change = { type: "delete", resource: persistentVolumes, object: newVolume(true, [finalizer]) } as const;
  expect(needsProtectionWork(change, finalizer)).toBe(false);
});
