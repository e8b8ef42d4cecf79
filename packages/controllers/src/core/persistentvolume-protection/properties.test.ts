import { persistentVolumes } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newPersistentVolumeProtectionController } from "./controller.ts";
import { volumeFinalizer } from "./decide.ts";

test("the volume protection is declared, idempotent, bounded and total", () => {
  const worlds = [undefined, "2030-01-01T00:00:00Z"].flatMap((deletionTimestamp) =>
    [[], [volumeFinalizer], ["example.com/other", volumeFinalizer]].flatMap((finalizers) =>
      ["Available", "Bound"].map((phase): World => {
        const metadata = { finalizers, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) };
        return [[persistentVolumes, [stored(newObject(persistentVolumes, "disk", { metadata, status: { phase } }))]]];
      }),
    ),
  );
  expect(findPropertyFaults(newPersistentVolumeProtectionController(), worlds, { maxActions: 1 })).toEqual([]);
});
