import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { newObject, newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";

const newUser = (key: string, claimName: string) =>
  stored(newPod(key, { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] } }));
const data = stored(newObject(persistentVolumeClaims, "shop/data"));
const idle = stored(newObject(persistentVolumeClaims, "shop/idle"));
const [web, job] = [newUser("shop/web", "data"), newUser("shop/job", "data")];
const [far, other] = [newUser("bank/web", "data"), newUser("shop/other", "logs")];
const ephemeral = stored(newPod("shop/da", { spec: { volumes: [{ name: "ta", ephemeral: {} }] } }));
const snapshot = plainSnapshot([
  [persistentVolumeClaims, [data, idle]],
  [pods, [web, job, far, other, ephemeral]],
]);
const observed = (key: string) => observe(key, { snapshot, model: undefined, nowMs: 0 });

test("a key without a claim is nothing to look at, even if pods refer to it", () => {
  expect(observed("shop/logs")).toBeUndefined();
});

test("it sees the claim as it is cached, and the pods of its namespace that refer to it", () => {
  expect(observed("shop/data")?.claim).toBe(data);
  expect(new Set(observed("shop/data")?.referring)).toEqual(new Set([web, job]));
});

test("a claim that no pod refers to has none", () => expect(observed("shop/idle")?.referring).toEqual([]));
