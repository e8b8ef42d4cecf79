// A closed gate holds back everything a manager's controllers watch, also a part of a resource, which has an informer of its own.
import { expect, test } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { itself } from "../../contract/index.ts";
import { DeliveryGate } from "../../informer/index.ts";
import { defineController, Manager } from "../../runtime/index.ts";
import { newConfigMap } from "../builders/index.ts";
import { FakeCluster } from "../fake-cluster/index.ts";

test.each([
  ["a resource", configMaps],
  ["a part of one", itself(configMaps, { labelSelector: "tier=gold" })],
])("controllers that watch %s see nothing before the gate opens", async (_, watched) => {
  await using cluster = new FakeCluster({ resources: [configMaps] });
  const deliveryGate = new DeliveryGate();
  const manager = new Manager({ ...cluster.parts, deliveryGate });
  const seen: string[] = [];
  const reconcile = async ({ key }: { readonly key: string }) => void seen.push(key);
  manager.addController(defineController({ name: "maps", for: watched, reconcile }));
  cluster.run((signal) => manager.run(signal));
  await cluster.clock.advance(1000);
  const closed = deliveryGate.close();
  cluster.server.create(configMaps, newConfigMap("shop/a", { metadata: { labels: { tier: "gold" } } }));
  await cluster.clock.advance(1000);
  expect(seen).toEqual([]);
  closed[Symbol.dispose]();
  await cluster.clock.advance(1000);
  expect(seen).toEqual(["shop/a"]);
});
