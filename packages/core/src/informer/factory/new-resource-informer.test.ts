import { describe, expect, expectTypeOf, test } from "vitest";
import { deployments, nodes, pods } from "../../api/generated/resources.ts";
import { type appsv1, type corev1, defineResource, type KubernetesObject, keyOf } from "../../api/index.ts";
import { FakeClock, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { newDeploymentInformer } from "../generated/apps/v1.ts";
import { newFilteredPodInformer, newNodeInformer, newPodInformer } from "../generated/core/v1.ts";
import type { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import { namespaceIndex, namespaceIndexers } from "../store/key-functions.ts";
import { newInformerOf } from "./new-resource-informer.ts";
import { SmallServer } from "./small-server.fixture.ts";

const pod = (namespace: string, name: string, labels: Record<string, string> = {}): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, labels },
  spec: { containers: [] },
});

function setUp() {
  const clock = new FakeClock();
  const server = new SmallServer();
  const client = clientOf(server.transport, { clock });
  server.put(pods, pod("shop", "web", { app: "web" }));
  server.put(pods, pod("shop", "db", { app: "db" }));
  server.put(pods, pod("blog", "web", { app: "web" }));
  server.put(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
  return { clock, server, client, common: { clock, random: seededRandom(1) } };
}

/** Runs it until it has synced; its keys, sorted. */
async function keysOf<T extends KubernetesObject>(clock: FakeClock, informer: SharedIndexInformer<T>) {
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.drive(informer.whenSynced(controller.signal));
  const keys = informer.getStore().list().map(keyOf).sort();
  controller.abort();
  await running;
  return keys;
}

describe("an informer of a built-in kind", () => {
  test("follows all namespaces, or one", async () => {
    const { clock, server, client, common } = setUp();
    expect(await keysOf(clock, newPodInformer(client, common))).toEqual(["blog/web", "shop/db", "shop/web"]);
    expect(await keysOf(clock, newPodInformer(client, { ...common, namespace: "" }))).toHaveLength(3);
    expect(await keysOf(clock, newPodInformer(client, { ...common, namespace: "shop" }))).toEqual([
      ...["shop/db", "shop/web"],
    ]);
    expect(server.asked).toEqual(["watch pods", "watch pods", "watch pods in shop"]);
  });

  test("filtered, asks for what the tweak says, in its namespace", async () => {
    const { clock, client, common } = setUp();
    const tweak = () => ({ labelSelector: "app=web" });
    expect(await keysOf(clock, newFilteredPodInformer(client, { ...common, tweak }))).toEqual(["blog/web", "shop/web"]);
    expect(await keysOf(clock, newFilteredPodInformer(client, { ...common, tweak, namespace: "shop" }))).toEqual([
      "shop/web",
    ]);
  });

  test("does not mind a namespace where there is none", async () => {
    const { clock, server, client, common } = setUp();
    expect(await keysOf(clock, newNodeInformer(client, { ...common, namespace: "shop" }))).toEqual(["n1"]);
    expect(server.asked).toEqual(["watch nodes"]);
  });

  test("lists where the server cannot stream", async () => {
    const { clock, server, client, common } = setUp();
    await keysOf(clock, newPodInformer(client, { ...common, canWatchList: false }));
    expect(server.asked).toEqual(["list pods", "watch pods"]);
  });

  test("has the indexes it is given, and no others", () => {
    const { client } = setUp();
    expect(newPodInformer(client).getIndexer().getIndexers()).toEqual({});
    const indexed = newPodInformer(client, { indexers: namespaceIndexers });
    expect(Object.keys(indexed.getIndexer().getIndexers())).toEqual([namespaceIndex]);
  });

  test("is another one each time: only a factory shares", () => {
    const { client } = setUp();
    expect(newPodInformer(client)).not.toBe(newPodInformer(client));
  });

  test("tells its handlers again at its resync period", async () => {
    const { clock, client, common } = setUp();
    const informer = newPodInformer(client, { ...common, namespace: "blog", resyncMs: 10_000 });
    const heard: string[] = [];
    informer.addEventHandler({ onUpdate: (_before, after) => void heard.push(keyOf(after)) });
    const controller = new AbortController();
    const running = informer.run(controller.signal);
    await clock.drive(informer.whenSynced(controller.signal));
    await clock.advance(10_000);
    expect(heard).toEqual(["blog/web"]);
    controller.abort();
    await running;
  });

  test("has its kind's type; any resource can have one", () => {
    const { client } = setUp();
    expectTypeOf(newDeploymentInformer(client)).toEqualTypeOf<SharedIndexInformer<appsv1.Deployment>>();
    expectTypeOf(newInformerOf(deployments)(client)).toEqualTypeOf<SharedIndexInformer<appsv1.Deployment>>();
    const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
    expect(newInformerOf(widgets)(client).name).toContain("widgets");
  });
});
