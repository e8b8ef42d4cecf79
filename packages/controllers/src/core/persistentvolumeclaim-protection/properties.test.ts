import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, newPod, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newPersistentVolumeClaimProtectionController } from "./controller.ts";
import { claimFinalizer } from "./decide.ts";

const deletionTimestamp = "2030-01-01T00:00:00Z";
const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
const worlds = [[], [claimFinalizer], ["example.com/other", claimFinalizer]].flatMap((finalizers) =>
  [{ finalizers }, { finalizers, deletionTimestamp }].flatMap((metadata) =>
    [[], [newPod("shop/web", { spec: { volumes, nodeName: "n1" } })], [newPod("shop/web", { spec: { volumes } })]].map(
      (users): World => [
        [persistentVolumeClaims, [stored(newObject(persistentVolumeClaims, "shop/data", { metadata }))]],
        [pods, users.map((pod) => stored(pod))],
      ],
    ),
  ),
);

test("the claim protection is declared, idempotent, bounded and total", () => {
  const controller = newPersistentVolumeClaimProtectionController();
  expect(findPropertyFaults(controller, worlds, { maxActions: 1 })).toEqual([]);
});

test("with the condition Unused it takes one look more", () => {
  const controller = newPersistentVolumeClaimProtectionController({ reportsUnused: true });
  expect(findPropertyFaults(controller, worlds, { maxActions: 1, maxPlans: 2 })).toEqual([]);
  expect(findPropertyFaults(controller, worlds, { maxActions: 1, maxPlans: 1 })).not.toEqual([]);
});
