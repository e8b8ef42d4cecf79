import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import { deviceClasses, pods, resourceClaims, resourceQuotas, secrets } from "@kubeloop/core/resources";
import { newPod, plainSnapshot, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newObserve } from "./observe.ts";
import { newQuota, newSecretIn, newServed, served } from "./quota.fixture.ts";

const observed = (world: World, { withExtendedResources = true, what = served } = {}) =>
  newObserve({ withExtendedResources })("shop/quota", {
    snapshot: plainSnapshot(world, { served: what }),
    model: undefined,
    nowMs: 0,
  });
const counted = (world: World) =>
  Object.fromEntries(
    (observed(world)?.counted ?? []).map(({ evaluator, names, objects }) => [
      evaluator.resource.resource,
      [...names, ...objects.map(({ metadata }) => metadata.name)],
    ]),
  );

test("a quota that is gone is nothing to look at", () => expect(observed([[resourceQuotas, []]])).toBeUndefined());

test("only what the quota limits is read, in its namespace", () => {
  const world: World = [
    [resourceQuotas, [newQuota({ secrets: "5", "count/deployments.apps": "5" })]],
    [secrets, [newSecretIn("shop", "a"), newSecretIn("other", "b")]],
    [pods, [stored(newPod("shop/p"))]],
  ];
  expect(counted(world)).toEqual({ secrets: ["secrets", "a"], deployments: ["count/deployments.apps"] });
});

test("what is not served is not counted", () => {
  const world: World = [[resourceQuotas, [newQuota({ secrets: "5", pods: "5" })]]];
  expect(observed(world, { what: newServed(resourceQuotas, pods) })?.counted.map(({ names }) => names)).toEqual([
    ["pods"],
  ]);
});

const claim = (name: string, uid: string): KubernetesObject =>
  stored({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      name,
      namespace: "shop",
      creationTimestamp: `2024-05-01T12:00:0${name.length}Z`,
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid, controller: true }],
    },
    spec: {},
  } as KubernetesObject);

test("a claim for extended resources is found the pod of, the oldest of several alone", () => {
  const pod = stored(newPod("shop/p"));
  const { uid = "" } = pod.metadata;
  const deviceClass = stored({
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: { name: "gpu" },
    spec: {},
  } as KubernetesObject);
  const name = "requests.deviceclass.resource.kubernetes.io/gpu";
  const world: World = [
    [resourceQuotas, [newQuota({ [name]: "5" })]],
    [deviceClasses, [deviceClass]],
    [resourceClaims, [claim("new", uid), claim("x", uid), claim("other", "replaced")]],
    [pods, [pod]],
  ];
  const seen = observed(world);
  expect([...(seen?.deviceClasses?.keys() ?? [])]).toEqual(["gpu"]);
  expect([...(seen?.podsByClaim ?? [])].map(([key, its]) => [key, (its as corev1.Pod).metadata.name])).toEqual([
    ["shop/x", "p"],
  ]);
  expect(observed(world.filter(([resource]) => resource !== pods))?.podsByClaim.size).toBe(0);
  const without = observed(world, { withExtendedResources: false });
  expect([without?.deviceClasses, without?.podsByClaim.size]).toEqual([undefined, 0]);
  expect(without?.counted.map(({ evaluator }) => evaluator.resource.resource)).toEqual(["pods"]);
});
