import { pods, replicationControllers } from "@kubeloop/core/resources";
import { findPropertyFaults, newObject, newPod, ownedBy, stored, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newReplicationControllerController } from "./controller.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [] } };
const newController = (replicas: number) =>
  stored(newObject(replicationControllers, "shop/web", { spec: { replicas, selector: labels, template } }));

test("the replicationcontroller controller is declared, idempotent, bounded and total", () => {
  const worlds = [0, 1, 3, 600].map((replicas): World => {
    const controller = newController(replicas);
    const its = [1, 2].map((i) => stored(ownedBy(controller, newPod(`shop/web-${i}`, { metadata: { labels } }))));
    const lost = stored(ownedBy(controller, newPod("shop/lost")));
    const orphan = stored(newPod("shop/orphan", { metadata: { labels } }));
    return [
      [replicationControllers, [controller]],
      [pods, [...its, lost, orphan]],
    ];
  });
  // A burst of 500, one adoption, one release, and the status.
  const controller = newReplicationControllerController();
  expect(findPropertyFaults(controller, worlds, { maxActions: 503, maxPlans: 3 })).toEqual([]);
});

test("it creates no more than its burst says", () => {
  const worlds: readonly World[] = [
    [
      [replicationControllers, [newController(600)]],
      [pods, []],
    ],
  ];
  const whole = newReplicationControllerController();
  expect(findPropertyFaults(whole, worlds, { maxActions: 500, maxPlans: 3 })).not.toEqual([]);
  const small = newReplicationControllerController({ burst: 2 });
  expect(findPropertyFaults(small, worlds, { maxActions: 3, maxPlans: 400 })).toEqual([]);
});
