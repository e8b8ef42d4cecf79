import { persistentVolumes } from "@kubeloop/core/resources";
import { newObject, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const disk = stored(newObject(persistentVolumes, "disk"));
const snapshot = plainSnapshot([[persistentVolumes, [disk]]]);

test.each([
  ["a volume is seen as it is cached", "disk", disk],
  ["a key without a volume is nothing to look at", "none", undefined],
])("%s", (_fact, key, expected) => expect(observe(key, { snapshot, model: undefined, nowMs: 0 })).toBe(expected));
