import { describe, expect, test } from "vitest";
import { nodes, pods } from "../../api/generated/resources.ts";
import { type corev1, type KubernetesObject, newExpired, newInternalError } from "../../api/index.ts";
import { deferred, FakeClock, type Log, noLog, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { SmallServer } from "../factory/small-server.fixture.ts";
import { makeInformer } from "./make-informer.ts";

const pod = (name: string, labels: Record<string, string> = {}, namespace = "default"): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, labels },
  spec: { containers: [] },
});

function setUp({ path = "/api/v1/pods", labelSelector = undefined as string | undefined, fieldSelector = "" } = {}) {
  const clock = new FakeClock();
  const server = new SmallServer();
  const client = clientOf(server.transport, { clock });
  const complaints: unknown[] = [];
  const log: Log = {
    ...noLog,
    error: (message, fields) => void complaints.push([message, fields?.["verb"]]),
    with: () => log,
  };
  let lists = 0;
  const listFn = async () => {
    lists++;
    return { items: [] };
  };
  const options = { clock, log, random: seededRandom(1) };
  const informer = makeInformer<corev1.Pod>(client, path, listFn, labelSelector, fieldSelector || undefined, options);
  const heard: string[] = [];
  const nameOf = (object: KubernetesObject) => `${object.metadata.name} ${object.metadata.labels?.["v"] ?? ""}`.trim();
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, (object) => void heard.push(`${verb} ${nameOf(object)}`));
  }
  informer.on("connect", () => void heard.push("connect"));
  informer.on("error", (error) => void heard.push(`error ${error.message}`));
  return {
    clock,
    server,
    informer,
    heard,
    complaints,
    listed: () => lists,
    start: () => clock.drive(informer.start()),
    async stop() {
      await clock.drive(informer.stop());
      expect(server.openWatches).toBe(0);
      expect(clock.pending()).toEqual([]);
    },
    /** What was heard since the last time. */
    take: async () => {
      await clock.advance(1);
      return heard.splice(0);
    },
  };
}

test("tells of connecting, and of what is there and what happens", async () => {
  const { server, informer, start, stop, take, listed } = setUp();
  server.put(pods, pod("a"));
  await start();
  expect(await take()).toEqual(["connect", "add a"]);
  server.put(pods, pod("b"));
  server.put(pods, pod("a", { v: "2" }));
  server.remove(pods, pod("b"));
  expect(await take()).toEqual(["add b", "update a 2", "delete b"]);
  expect(informer.latestResourceVersion()).not.toBe("");
  expect(listed()).toBe(0);
  await stop();
});

test("started again while it still ends, it runs; stopped once more meanwhile, it does not", async () => {
  const { server, informer, clock, start, stop, take } = setUp();
  await start();
  await take();
  const stopped = informer.stop();
  const started = informer.start();
  await clock.drive(Promise.all([stopped, started]));
  server.put(pods, pod("a"));
  expect(await take()).toEqual(["connect", "add a"]);
  await clock.drive(Promise.all([informer.stop(), informer.start(), informer.stop()]));
  server.put(pods, pod("b"));
  expect(await take()).toEqual([]);
  await stop();
});

test("when start has resolved, everything there was has been told and can be read", async () => {
  const { server, informer, heard, start, stop } = setUp();
  for (const name of ["a", "b", "c"]) server.put(pods, pod(name));
  expect(informer.list()).toEqual([]);
  expect(informer.get("a", "default")).toBeUndefined();
  await start();
  expect(heard).toEqual(["connect", "add a", "add b", "add c"]);
  expect(informer.list()).toHaveLength(3);
  await stop();
});

describe("get and list", () => {
  test("read an object already in the callback that tells of it", async () => {
    const { server, informer, start, stop } = setUp();
    const found: unknown[] = [];
    informer.on("add", ({ metadata }) => void found.push(informer.get(metadata.name ?? "", metadata.namespace)?.kind));
    server.put(pods, pod("a"));
    await start();
    expect(found).toEqual(["Pod"]);
    await stop();
  });

  test("read nothing any more where everything went while it was stopped", async () => {
    const { server, informer, start, stop, take } = setUp();
    server.put(pods, pod("a"));
    await start();
    await stop();
    server.remove(pods, pod("a"));
    expect(informer.list()).toHaveLength(1);
    await start();
    expect(informer.list()).toEqual([]);
    expect(await take()).toEqual(["connect", "add a", "connect", "delete a"]);
    await stop();
  });

  test("read by name and namespace, while it runs and afterwards", async () => {
    const { server, informer, start, stop } = setUp();
    server.put(pods, pod("a"));
    server.put(pods, pod("a", {}, "shop"));
    await start();
    for (const _time of ["running", "stopped"]) {
      expect(informer.get("a", "shop")?.metadata.namespace).toBe("shop");
      expect(informer.get("b", "shop")).toBeUndefined();
      expect(informer.list()).toHaveLength(2);
      expect(informer.list("default").map(({ metadata }) => metadata.namespace)).toEqual(["default"]);
      expect(informer.list("gone")).toEqual([]);
      await stop();
    }
  });

  test("read what lives in no namespace by its name", async () => {
    const { server, informer, start, stop } = setUp({ path: "/api/v1/nodes" });
    server.put(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
    await start();
    expect(informer.get("n1")?.kind).toBe("Node");
    await stop();
  });
});

describe("a path", () => {
  for (const [path, asked] of [
    ["/api/v1/pods", "watch pods"],
    ["/api/v1/namespaces/shop/pods", "watch pods in shop"],
    ["/apis/apps/v1/namespaces/shop/deployments", "watch deployments in shop"],
    ["/apis/apps/v1/deployments/", "watch deployments"],
    ["/api/v1/namespaces", "watch namespaces"],
    ["/apis/example.com/v1/widgets", "watch widgets"],
    ["/apis/example.com/v1/namespaces/shop/widgets", "watch widgets in shop"],
  ] as const) {
    test(`${path} is asked for`, async () => {
      const { server, start, stop } = setUp({ path });
      await start();
      expect(server.asked).toEqual([asked]);
      await stop();
    });
  }

  for (const path of [
    ...["", "/healthz", "/api/v1", "/api/v1/namespaces/shop/pods/web", "/api/v1/pods?labelSelector=a"],
    "/api/v1/namespaces/shop/nodes",
  ]) {
    test(`"${path}" is no collection, and refused`, () => {
      expect(() => setUp({ path })).toThrow("is not the path of a collection");
    });
  }

  test("of a kind that nobody knows brings what the server has there", async () => {
    const { server, informer, start, stop } = setUp({ path: "/apis/example.com/v1/widgets" });
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { namespace: "shop", name: "w" } };
    server.put({ group: "example.com", plural: "widgets" }, widget);
    await start();
    expect(informer.get("w", "shop")?.kind).toBe("Widget");
    await stop();
  });
});

test("selectors hold for lists and watches alike", async () => {
  const { server, start, stop, take } = setUp({ labelSelector: "app=web", fieldSelector: "metadata.name=a" });
  server.put(pods, pod("a", { app: "web" }));
  server.put(pods, pod("b", { app: "web" }));
  await start();
  server.put(pods, pod("a", { app: "db" }));
  server.put(pods, pod("c", { app: "web" }));
  expect(await take()).toEqual(["connect", "add a"]);
  await stop();
});

describe("callbacks", () => {
  test("on change hear of all that happens to objects, and no more once they are off", async () => {
    const { server, informer, start, stop, take } = setUp();
    const heard: string[] = [];
    const note = ({ metadata }: corev1.Pod) => void heard.push(metadata.name ?? "");
    informer.on("change", note);
    await start();
    server.put(pods, pod("a"));
    server.put(pods, pod("a", { v: "2" }));
    server.remove(pods, pod("a"));
    await take();
    expect(heard).toEqual(["a", "a", "a"]);
    informer.off("change", note);
    server.put(pods, pod("b"));
    await take();
    expect(heard).toHaveLength(3);
    await stop();
  });

  test("registered twice are called twice, and taken back one by one", async () => {
    const { server, informer, start, stop, take } = setUp();
    let calls = 0;
    const count = () => void calls++;
    informer.on("add", count);
    informer.on("add", count);
    await start();
    server.put(pods, pod("a"));
    await take();
    informer.off("add", count);
    informer.off("add", () => {});
    server.put(pods, pod("b"));
    await take();
    expect(calls).toBe(3);
    await stop();
  });

  test("that join late hear of nothing that was before", async () => {
    const { server, informer, start, stop, take } = setUp();
    server.put(pods, pod("a"));
    await start();
    const heard: string[] = [];
    informer.on("add", ({ metadata }) => void heard.push(metadata.name ?? ""));
    server.put(pods, pod("b"));
    await take();
    expect(heard).toEqual(["b"]);
    await stop();
  });

  test("that throw or reject are logged, and the others are called", async () => {
    const { server, informer, heard, complaints, start, stop } = setUp();
    informer.on("add", () => {
      throw new Error("boom");
    });
    informer.on("add", async () => {
      throw new Error("boom");
    });
    informer.on("add", ({ metadata }) => void heard.push(`also ${metadata.name}`));
    server.put(pods, pod("a"));
    server.put(pods, pod("b"));
    await start();
    expect(heard).toEqual(["connect", "add a", "also a", "add b", "also b"]);
    expect(complaints).toEqual(Array(4).fill(["informer callback failed", "add"]));
    await stop();
  });

  test("that take their time are waited for: two hundred updates end in order", async () => {
    const { clock, server, informer, start, stop } = setUp();
    const ended: string[] = [];
    informer.on("update", async ({ metadata }) => {
      const version = metadata.labels?.["v"] ?? "";
      await clock.sleep(version.endsWith("7") ? 500 : 1, new AbortController().signal);
      ended.push(version);
    });
    server.put(pods, pod("a"));
    await start();
    const versions = Array.from({ length: 200 }, (_, i) => String(i));
    for (const v of versions) server.put(pods, pod("a", { v }));
    await clock.advance(60_000);
    expect(ended).toEqual(versions);
    await stop();
  });

  test("of verbs that do not exist are refused", () => {
    const { informer } = setUp();
    const unknown = "upsert" as "add";
    expect(() => informer.on(unknown, () => {})).toThrow("Unknown verb: upsert");
    expect(() => informer.off(unknown, () => {})).toThrow("Unknown verb: upsert");
  });
});

describe("errors", () => {
  test("are told, and it goes on by itself: nobody has to start it again", async () => {
    const { clock, server, informer, heard, stop } = setUp();
    server.refusals.set("pods", newInternalError(new Error("etcd is down")));
    informer.on("error", () => void informer.start());
    const started = informer.start();
    await clock.advance(5_000);
    expect(heard.filter((line) => line.startsWith("error")).length).toBeGreaterThan(1);
    expect(heard[1]).toBe("error Internal error occurred: etcd is down");
    server.refusals.clear();
    server.put(pods, pod("a"));
    await clock.drive(started);
    expect(heard.filter((line) => line === "add a")).toHaveLength(1);
    expect(informer.list()).toHaveLength(1);
    await stop();
  });

  test("do not include a version that is too old", async () => {
    const { clock, server, informer, heard, stop } = setUp();
    server.refusals.set("pods", newExpired("too old resource version"));
    const started = informer.start();
    await clock.advance(2_000);
    server.refusals.clear();
    await clock.drive(started);
    expect(heard.filter((line) => line !== "connect")).toEqual([]);
    await stop();
  });
});

describe("stopping", () => {
  test("and starting again tells what changed in between, and nothing twice", async () => {
    const { server, informer, start, stop, take } = setUp();
    for (const name of ["kept", "changed", "gone"]) server.put(pods, pod(name));
    await start();
    await stop();
    await take();
    server.put(pods, pod("changed", { v: "2" }));
    server.remove(pods, pod("gone"));
    server.put(pods, pod("new"));
    expect(informer.list()).toHaveLength(3);
    await start();
    expect(await take()).toEqual(["connect", "update changed 2", "add new", "delete gone"]);
    server.put(pods, pod("kept", { v: "3" }));
    expect(await take()).toEqual(["update kept 3"]);
    expect(
      informer
        .list()
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(["changed", "kept", "new"]);
    await stop();
  });

  test("before everything was told leaves the rest for the next start", async () => {
    const { clock, server, informer, stop } = setUp();
    const hold = deferred();
    const heard: string[] = [];
    informer.on("add", async ({ metadata }) => {
      heard.push(metadata.name ?? "");
      await hold.promise;
    });
    for (const name of ["a", "b"]) server.put(pods, pod(name));
    const started = informer.start();
    await clock.advance(1);
    expect(heard).toEqual(["a"]);
    await stop();
    await started;
    hold.resolve();
    await clock.drive(informer.start());
    expect(heard).toEqual(["a", "b"]);
    await stop();
  });

  test("may be done from a callback, and twice, and before starting", async () => {
    const { clock, server, informer, stop } = setUp();
    await informer.stop();
    let hasStopped = false;
    informer.on("add", async () => {
      await informer.stop();
      hasStopped = true;
    });
    server.put(pods, pod("a"));
    await clock.drive(informer.start());
    await clock.advance(1);
    expect(hasStopped).toBe(true);
    await stop();
  });

  test("while the first list is out lets start resolve, and opens no watch afterwards", async () => {
    const { clock, server, informer, stop } = setUp();
    server.refusals.set("pods", newInternalError(new Error("etcd is down")));
    const started = informer.start();
    await clock.advance(1);
    await stop();
    await started;
    const { length } = server.requests;
    await clock.advance(60_000);
    expect(server.requests).toHaveLength(length);
  });

  test("is not needed to start twice: the second start waits with the first", async () => {
    const { clock, server, informer, heard, stop } = setUp();
    server.put(pods, pod("a"));
    await clock.drive(Promise.all([informer.start(), informer.start()]));
    expect(heard).toEqual(["connect", "add a"]);
    expect(server.openWatches).toBe(1);
    await stop();
  });
});
