import { describe, expect, test } from "vitest";
import { configMaps, deployments, nodes, pods } from "../../api/generated/resources.ts";
import { isConflict, isNotFound } from "../../api/index.ts";
import { newConfigMap, newDeployment, newPod } from "../builders/index.ts";
import { FakeCluster, type FakeClusterOptions } from "./index.ts";

const { signal } = new AbortController();
const onCluster = (options: Partial<FakeClusterOptions> = {}) =>
  new FakeCluster({ resources: [configMaps, deployments, pods, nodes], ...options });

describe("writes", () => {
  test("the server chooses names, and the log has them", async () => {
    await using cluster = onCluster();
    const maps = cluster.client.resource(configMaps).in("shop");
    const object = newConfigMap("shop/x", { metadata: { name: undefined, generateName: "x-" } });
    const [a, b] = [await maps.create(object, {}, signal), await maps.create(object, {}, signal)];
    expect(a.metadata.name).toMatch(/^x-[a-z0-9]{5}$/);
    expect(a.metadata.name).not.toBe(b.metadata.name);
    expect(cluster.writes).toEqual([
      `create configmaps shop/${a.metadata.name}`,
      `create configmaps shop/${b.metadata.name}`,
    ]);
  });

  test("status and the rest are written apart", async () => {
    await using cluster = onCluster({ objects: [[deployments, newDeployment("shop/web")]] });
    const web = cluster.client.resource(deployments).in("shop");
    await web.patch("web", { type: "merge", body: { spec: { replicas: 4 }, status: { replicas: 9 } } }, {}, signal);
    await web
      .subresource("status")
      .patch("web", { type: "merge", body: { spec: { replicas: 7 }, status: { replicas: 2 } } }, {}, signal);
    expect(cluster.get(deployments, "shop/web")).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 2 } });
    expect(cluster.writes).toEqual(["patch deployments shop/web", "patch deployments/status shop/web"]);
  });

  test("an old version and another uid are conflicts", async () => {
    await using cluster = onCluster({ objects: [[configMaps, newConfigMap("shop/a")]] });
    const maps = cluster.client.resource(configMaps).in("shop");
    const old = await maps.get("a", signal);
    cluster.edit(configMaps, "shop/a", (map) => ({ ...map, data: { a: "b" } }));
    for (const attempt of [
      maps.update({ ...old, data: { c: "d" } }, {}, signal),
      maps.patch(
        "a",
        { type: "merge", body: { metadata: { resourceVersion: old.metadata.resourceVersion } } },
        {},
        signal,
      ),
      maps.delete("a", { preconditions: { uid: "another" } }, signal),
      maps.delete("a", { preconditions: { resourceVersion: String(old.metadata.resourceVersion) } }, signal),
    ])
      await expect(attempt).rejects.toSatisfy(isConflict);
    expect(cluster.writes).toEqual([]);
  });

  test("the last finalizer takes along what is being deleted", async () => {
    const held = newPod("shop/web", { metadata: { finalizers: ["a.io/x"] } });
    await using cluster = onCluster({ objects: [[pods, held]] });
    const all = cluster.client.resource(pods).in("shop");
    await all.delete("web", {}, signal);
    expect(cluster.get(pods, "shop/web")?.metadata.deletionTimestamp).toBe("2030-01-01T00:00:00Z");
    await all.patch("web", { type: "merge", body: { metadata: { finalizers: null } } }, {}, signal);
    expect(cluster.get(pods, "shop/web")).toBeUndefined();
  });

  test("an apply makes what is not there, in no namespace too", async () => {
    await using cluster = onCluster();
    const all = cluster.client.resource(nodes);
    for (const unschedulable of [true, false])
      await all.apply(
        { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: { unschedulable } },
        { fieldManager: "t" },
        signal,
      );
    expect(cluster.get(nodes, "n1")?.spec).toEqual({ unschedulable: false });
    expect(cluster.writes).toEqual(["patch nodes n1", "patch nodes n1"]);
  });

  test("a collection goes by its labels, and only in its namespace", async () => {
    const labels = { app: "web" };
    await using cluster = onCluster({
      objects: [
        [configMaps, newConfigMap("shop/a", { metadata: { labels } })],
        [configMaps, newConfigMap("shop/b")],
        [configMaps, newConfigMap("bank/a", { metadata: { labels } })],
      ],
    });
    await cluster.client.resource(configMaps).in("shop").deleteCollection({ labelSelector: "app=web" }, signal);
    expect(cluster.list(configMaps).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "bank/a",
      "shop/b",
    ]);
  });

  test("what it cannot do it refuses, and does not do", async () => {
    await using cluster = onCluster({ objects: [[pods, newPod("shop/web")]] });
    const all = cluster.client.resource(pods).in("shop");
    const body = { apiVersion: "policy/v1", kind: "Eviction" } as const;
    await expect(all.subresource("eviction").create("web", body, {}, signal)).rejects.toSatisfy(isNotFound);
    await expect(all.delete("web", { dryRun: true }, signal)).rejects.toThrow("no dry runs");
    await expect(all.patch("web", { type: "merge", body: {} }, { dryRun: true }, signal)).rejects.toThrow(
      "no dry runs",
    );
    expect(cluster.get(pods, "shop/web")).toBeDefined();
    expect(cluster.writes).toEqual([]);
  });
});

describe("what runs", () => {
  test("is stopped and waited for", async () => {
    const ends: string[] = [];
    {
      await using cluster = onCluster();
      cluster.run(async (stop) => {
        await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
        await cluster.clock.sleep(3000, signal);
        ends.push("ended");
      });
      await cluster.clock.advance(10);
      expect(ends).toEqual([]);
    }
    expect(ends).toEqual(["ended"]);
  });

  test("fails the test with its own failure: at the next eventually, and at the end", async () => {
    const cluster = onCluster();
    cluster.run(async () => {
      await cluster.clock.sleep(50, signal);
      throw new Error("broke");
    });
    cluster.clock.after(60_000, () => {});
    await expect(cluster.eventually(() => false)).rejects.toThrow("broke");
    expect(cluster.clock.monotonic()).toBe(50);
    await expect(cluster[Symbol.asyncDispose]()).rejects.toThrow("broke");
  });

  test("must leave nothing behind", async () => {
    const cluster = onCluster();
    cluster.run(async () => {
      cluster.clock.after(99, () => {});
    });
    await expect(cluster[Symbol.asyncDispose]()).rejects.toThrow("left behind: a work timer (unnamed) is due in 99 ms");
  });

  test("being told to stop is no failure", async () => {
    const cluster = onCluster();
    cluster.run((stop) => cluster.clock.sleep(1_000_000, stop));
    await cluster[Symbol.asyncDispose]();
  });
});

test("faults end when the cluster is healed", async () => {
  await using cluster = onCluster({ faults: [{ name: "no", fault: { kind: "status", code: 403 } }] });
  const maps = cluster.client.resource(configMaps).in("shop");
  await expect(maps.create(newConfigMap("shop/a"), {}, signal)).rejects.toThrow();
  cluster.heal();
  await maps.create(newConfigMap("shop/a"), {}, signal);
  expect(cluster.injected.map(({ rule }) => rule)).toEqual(["no"]);
});

test("others' edits make a new generation when they change what is wanted, and none otherwise", async () => {
  await using cluster = onCluster();
  cluster.create(deployments, newDeployment("shop/web"));
  const edit = (change: object) =>
    cluster.edit(deployments, "shop/web", (before) => ({ ...before, ...change })).metadata.generation;
  expect(edit({ status: { replicas: 1 } })).toBe(1);
  expect(edit({ spec: newDeployment("shop/web", { spec: { replicas: 3 } }).spec })).toBe(2);
  expect(() => cluster.edit(deployments, "shop/none", (before) => before)).toThrow('"none" not found');
});
