import type { corev1 } from "@kubeloop/core/api";
import { actionsOf } from "@kubeloop/core/contract";
import { persistentVolumes } from "@kubeloop/core/resources";
import { newObject, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decide, volumeFinalizer } from "./decide.ts";

const other = "example.com/other";
interface Facts {
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
  readonly phase?: string;
}
const newVolume = ({ finalizers, isDeleted = false, phase }: Facts): corev1.PersistentVolume =>
  stored(
    newObject(persistentVolumes, "disk", {
      metadata: {
        ...(finalizers === undefined ? {} : { finalizers }),
        ...(isDeleted ? { deletionTimestamp: "2030-01-01T00:00:00Z" } : {}),
      },
      ...(phase === undefined ? {} : { status: { phase } }),
    }),
  );
/** The finalizers it writes, or nothing. */
const written = (facts: Facts) => {
  const [action, ...more] = actionsOf(decide(newVolume(facts)));
  expect(more).toEqual([]);
  if (action === undefined) return undefined;
  expect(action).toMatchObject({ type: "edit", subresource: undefined, isLocked: true, tolerates: ["NotFound"] });
  const { metadata } = (action.type === "edit" ? action.patch : {}) as { metadata: { finalizers?: readonly string[] } };
  expect(Object.keys(metadata)).toEqual(["finalizers"]);
  return metadata.finalizers ?? [];
};

describe("a volume that is not being deleted", () => {
  test.each<[string, Facts, readonly string[] | undefined]>([
    ["without finalizers gets the finalizer", {}, [volumeFinalizer]],
    ["with an empty list gets the finalizer", { finalizers: [] }, [volumeFinalizer]],
    ["with another finalizer gets it at the end", { finalizers: [other] }, [other, volumeFinalizer]],
    ["with the finalizer is left alone", { finalizers: [volumeFinalizer] }, undefined],
    ["with both is left alone", { finalizers: [volumeFinalizer, other] }, undefined],
    ["gets it although it is bound", { phase: "Bound" }, [volumeFinalizer]],
    ["gets it although it has failed", { phase: "Failed" }, [volumeFinalizer]],
  ])("%s", (_fact, facts, expected) => expect(written(facts)).toEqual(expected));
});

describe("a volume that is being deleted", () => {
  const mine = [volumeFinalizer];
  test.each<[string, Facts, readonly string[] | undefined]>([
    ["loses the finalizer where it has no phase", { finalizers: mine }, []],
    ["loses it where it is pending", { finalizers: mine, phase: "Pending" }, []],
    ["loses it where it is available", { finalizers: mine, phase: "Available" }, []],
    ["loses it where it is released", { finalizers: mine, phase: "Released" }, []],
    ["loses it where it has failed", { finalizers: mine, phase: "Failed" }, []],
    ["keeps it while it is bound", { finalizers: mine, phase: "Bound" }, undefined],
    [
      "keeps other finalizers",
      { finalizers: [other, volumeFinalizer, "example.com/last"] },
      [other, "example.com/last"],
    ],
    ["without the finalizer is left alone", { finalizers: [other] }, undefined],
    ["without any finalizer does not get it", {}, undefined],
    ["without the finalizer is left alone while it is bound", { phase: "Bound" }, undefined],
  ])("%s", (_fact, facts, expected) => expect(written({ ...facts, isDeleted: true })).toEqual(expected));
});

test.each<[string, Facts]>([
  ["protects it", {}],
  ["is as it should be", { finalizers: [volumeFinalizer] }],
  ["is in use", { finalizers: [volumeFinalizer], isDeleted: true, phase: "Bound" }],
  ["lets it go", { finalizers: [volumeFinalizer], isDeleted: true }],
])("the reason is: %s", (reason, facts) => expect(decide(newVolume(facts)).reason).toBe(reason));
