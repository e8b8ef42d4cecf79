import type { corev1 } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { claimKeysOf, isEphemeral, podsByClaim } from "./claims-of-pod.ts";

const claim = (claimName: string, name = "v"): corev1.Volume => ({ name, persistentVolumeClaim: { claimName } });
const ephemeral = (name: string): corev1.Volume => ({ name, ephemeral: {} });
const emptyDir: corev1.Volume = { name: "scratch", emptyDir: {} };
const withVolumes = (key: string, volumes: readonly corev1.Volume[] | undefined) =>
  stored(newPod(key, volumes === undefined ? {} : { spec: { volumes } }));

test.each<[string, readonly corev1.Volume[] | undefined, readonly string[]]>([
  ["a pod without volumes refers to none", undefined, []],
  ["a pod with an empty list refers to none", [], []],
  ["a claim is named", [claim("data")], ["shop/data"]],
  ["several are named in their order", [claim("data"), claim("logs", "w")], ["shop/data", "shop/logs"]],
  ["one that two volumes name counts once", [claim("data"), claim("data", "w")], ["shop/data"]],
  ["an ephemeral volume's claim has the pod's name and its own", [ephemeral("cache")], ["shop/web-cache"]],
  ["other volumes do not count", [emptyDir, claim("data")], ["shop/data"]],
  ["a claim without a name does not count", [claim("")], []],
  [
    "null is as if it were not there",
    [{ name: "cache", persistentVolumeClaim: null as never, ephemeral: {} }],
    ["shop/web-cache"],
  ],
])("%s", (_fact, volumes, expected) => expect(claimKeysOf(withVolumes("shop/web", volumes))).toEqual(expected));

test.each<[string, corev1.Volume, boolean]>([
  ["an ephemeral volume is one", ephemeral("cache"), true],
  ["a claim is none", claim("data"), false],
  ["another volume is none", emptyDir, false],
])("%s", (_fact, volume, expected) => expect(isEphemeral(volume)).toBe(expected));

test("pods are found by the key of the claim, in its namespace only", () => {
  const web = withVolumes("shop/web", [claim("data")]);
  const job = withVolumes("shop/job", [emptyDir, claim("data")]);
  const far = withVolumes("bank/web", [claim("data")]);
  const none = withVolumes("shop/none", [emptyDir]);
  const snapshot = plainSnapshot([[pods, [web, job, far, none]]]);
  expect(new Set(snapshot.byIndex(podsByClaim, "shop/data"))).toEqual(new Set([web, job]));
  expect(snapshot.byIndex(podsByClaim, "bank/data")).toEqual([far]);
  expect(snapshot.byIndex(podsByClaim, "shop/other")).toEqual([]);
});
