import { persistentVolumeClaims, persistentVolumes } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newVolumeBinder } from "./volume-binder.fixture.ts";

test("the volume binder is declared, idempotent, bounded and total", () => {
  const claim = stored(newObject(persistentVolumeClaims, "shop/c", { spec: {} }));
  const claimRef = { namespace: "shop", name: "c" };
  const worlds = [{}, { claimRef }, { claimRef: { ...claimRef, uid: "former" } }].map((spec): World => {
    const volume = stored(newObject(persistentVolumes, "v", { spec }));
    return [
      [persistentVolumeClaims, [claim]],
      [persistentVolumes, [volume]],
    ];
  });
  expect(findPropertyFaults(newVolumeBinder(1), worlds, { maxActions: 4 })).toEqual([]);
});
