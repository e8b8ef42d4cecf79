import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { deployments, pods, replicaSets } from "@kubeloop/core/resources";
import { newPod, ownedBy, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicaSetController } from "../replicaset/controller.ts";
import { newDeploymentController } from "./controller.ts";
import { deploymentScenarios } from "./scenarios.contract.ts";
import { set, web } from "./worlds.fixture.ts";

describe("the deployment controller on the embedded server", () => {
  defineRuns(deploymentScenarios, (run) => {
    run(newDeploymentController());
    run(newReplicaSetController());
  });
});

test("its queue has upstream's name, workers and number of tries", () => {
  expect(newDeploymentController().queues["deployment-controller"]).toMatchObject({
    metricName: "deployment",
    workers: 5,
    retry: { maxTries: 16 },
  });
  expect(newDeploymentController({ workers: 9 }).queues["deployment-controller"]).toMatchObject({ workers: 9 });
});

describe("a pod that is deleted wakes", () => {
  const recreated = web({ spec: { strategy: { type: "Recreate" } } });
  const own = set(1, { owner: recreated });
  const last = ownedBy(own, stored(newPod("shop/p1")));
  const other = ownedBy(own, stored(newPod("shop/p2")));
  const [watch] = newDeploymentController()
    .watchesFor(undefined)
    .filter(({ resource }) => resource === pods);
  const woken = (pod: corev1.Pod, left: readonly corev1.Pod[] = [], deployment = recreated, sets = [own]) => {
    const change: Change = { type: "delete", object: pod, resource: pods };
    const snapshot = plainSnapshot([
      [deployments, [deployment]],
      [replicaSets, sets],
      [pods, left],
    ]);
    return watch?.when?.(change, snapshot) === false ? "nobody" : watch?.keysOf(change, snapshot);
  };

  test.each([
    ["its deployment, if that recreates and this was the last one", woken(last), ["shop/web"]],
    ["nobody while another pod is there", woken(last, [other]), []],
    [
      "nobody while another set has pods",
      woken(last, [ownedBy(set(2, { owner: recreated }), stored(newPod("shop/p2")))], recreated, [
        own,
        set(2, { owner: recreated }),
      ]),
      [],
    ],
    ["its deployment, whatever pods nobody controls", woken(last, [stored(newPod("shop/orphan"))]), ["shop/web"]],
    ["nobody if the deployment rolls", woken(last, [], web()), []],
    ["nobody if the set is not there any more", woken(last, [], recreated, []), []],
    ["nobody if nobody controls it", woken(stored(newPod("shop/alone"))), []],
    ["nobody if nobody controls its set", woken(last, [], recreated, [set(1)]), []],
  ])("%s", (_fact, found, expected) => expect(found).toEqual(expected));

  test("and only then: other changes of pods wake nobody", () => {
    const change: Change = { type: "update", before: last, object: last, resource: pods };
    expect(watch?.when?.(change, plainSnapshot([]))).toBe(false);
  });
});

describe("a ReplicaSet that changes wakes", () => {
  const deployment = web();
  const own = set(1, { owner: deployment });
  const woken = (change: Change) => {
    const snapshot = plainSnapshot([
      [
        deployments,
        [deployment, web({ metadata: { name: "other" }, spec: { selector: { matchLabels: { app: "x" } } } })],
      ],
    ]);
    return newDeploymentController()
      .watchesFor(undefined)
      .filter(({ resource }) => resource === replicaSets)
      .flatMap((watch) => (watch.when?.(change, snapshot) === false ? [] : watch.keysOf(change, snapshot)));
  };
  const add = (object: KubernetesObject): Change => ({ type: "add", object, isInitial: false, resource: replicaSets });
  const update = (before: KubernetesObject, object: KubernetesObject): Change => ({
    type: "update",
    before,
    object,
    resource: replicaSets,
  });
  const relabelled = set(1, { metadata: { labels: { app: "x" } } });
  test.each([
    ["its deployment, when it is added", add(own), ["shop/web"]],
    ["its deployment, when it is changed", update(own, own), ["shop/web"]],
    [
      "its deployment, when it is deleted",
      { type: "delete", object: own, resource: replicaSets } as Change,
      ["shop/web"],
    ],
    ["those that select it, when it is added and nobody controls it", add(set(1)), ["shop/web"]],
    [
      "nobody, when it is deleted and nobody controls it",
      { type: "delete", object: set(1), resource: replicaSets } as Change,
      [],
    ],
    [
      "those that selected it and those that do now, when its labels change",
      update(set(1), relabelled),
      ["shop/web", "shop/other"],
    ],
    ["the old one and those that select it, when it is released", update(own, set(1)), ["shop/web", "shop/web"]],
    ["nobody, when nothing changes and nobody controls it", update(set(1), { ...set(1) }), []],
  ])("%s", (_fact, change, expected) => expect(new Set(woken(change))).toEqual(new Set(expected)));
});
