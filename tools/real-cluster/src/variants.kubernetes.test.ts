// Two clusters side by side that differ in their options, and starts that fail.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callApi, kubectl, type ListShape } from "./cluster-client.fixture.ts";
import { RealCluster } from "./real-cluster.ts";

let plain: RealCluster;
let changed: RealCluster;

beforeAll(async () => {
  [plain, changed] = await Promise.all([
    RealCluster.start(),
    RealCluster.start({
      featureGates: { WatchList: false },
      watchCache: false,
      extraFlags: { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] },
    }),
  ]);
  console.log(`side by side ready in ${Math.round(plain.startedInMs)} and ${Math.round(changed.startedInMs)} ms`);
});
afterAll(async () => {
  await Promise.all([plain?.[Symbol.asyncDispose](), changed?.[Symbol.asyncDispose]()]);
});

const configMaps = "/api/v1/namespaces/default/configmaps";

describe("two clusters side by side", () => {
  test("have addresses, authorities and tokens of their own", async () => {
    expect(plain.url).not.toBe(changed.url);
    expect((await callApi(plain, "/api", { as: { token: changed.adminToken } })).status).toBe(401);
  });

  test("share no objects", async () => {
    await kubectl(plain, "create", "namespace", "only-here");
    expect((await callApi(plain, "/api/v1/namespaces/only-here")).status).toBe(200);
    expect((await callApi(changed, "/api/v1/namespaces/only-here")).status).toBe(404);
  });
});

describe("options show in behaviour", () => {
  const initialEvents =
    "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
  test("WatchList on: initial events are sent, and marked at their end", async () => {
    const answer = await callApi(plain, `${configMaps}?${initialEvents}`);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("k8s.io/initial-events-end")]);
  });

  test("WatchList off: asking for initial events is refused", async () => {
    expect((await callApi(changed, `${configMaps}?${initialEvents}`)).status).toBe(422);
  });

  test("WatchList off: the metric says so too", async () => {
    const metrics = (await callApi(changed, "/metrics")).text;
    expect(metrics).toContain('kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0');
  });

  // The watch cache answers a list at version "0" whole, whatever its limit; etcd does not.
  const firstOfNamespaces = "/api/v1/namespaces?limit=1&resourceVersion=0";
  test("watch cache on: a list at version 0 ignores its limit", async () => {
    const list = (await callApi(plain, firstOfNamespaces)).json<ListShape>();
    expect([list.items.length > 1, list.metadata.continue]).toEqual([true, undefined]);
  });

  test("watch cache off: the limit counts", async () => {
    const list = (await callApi(changed, firstOfNamespaces)).json<ListShape>();
    expect([list.items.length, list.metadata.continue]).toEqual([1, expect.any(String)]);
  });

  test("extra flags: without the ServiceAccount plugin a pod needs no account", async () => {
    const run = ["run", "lonely", "--image=example.invalid/lonely", "--restart=Never"];
    expect(await kubectl(changed, ...run)).toBe("pod/lonely created\n");
    await expect(kubectl(plain, ...run)).rejects.toThrow('serviceaccount "default" not found');
  });

  test("forced compaction: what is older is gone at once", async () => {
    const old = (await callApi(changed, configMaps)).json<ListShape>().metadata.resourceVersion;
    await kubectl(changed, "create", "configmap", "after-old");
    const kept = await changed.compact();
    expect(Number(kept)).toBeGreaterThan(Number(old));
    const watch = await callApi(changed, `${configMaps}?watch=true&timeoutSeconds=5&resourceVersion=${old}`);
    expect(watch.text).toContain('"code":410');
    const list = await callApi(changed, `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${old}`);
    expect([list.status, list.json<{ reason: string }>().reason]).toEqual([410, "Expired"]);
  });
});

describe("a start that fails", () => {
  const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("kubeloop-real-")).toSorted();

  for (const [name, flags, complaint] of [
    ["shows what etcd said", { etcd: ["--no-such-flag"] }, /etcd did not start.*no-such-flag/s],
    [
      "shows what the API server said",
      { "kube-apiserver": ["--no-such-flag"] },
      /kube-apiserver did not start.*no-such-flag/s,
    ],
  ] as const) {
    test(name, async () => {
      await expect(RealCluster.start({ extraFlags: flags })).rejects.toThrow(complaint);
    });
  }

  test("that is aborted throws the reason and leaves nothing", async () => {
    const before = await folders();
    const caller = new AbortController();
    const starting = RealCluster.start({}, caller.signal);
    caller.abort("changed my mind");
    await expect(starting).rejects.toBe("changed my mind");
    expect(await folders()).toEqual(before);
  });

  test("without any programs says where they were looked for", async () => {
    const env = { PATH: "/nowhere", KUBELOOP_CACHE: "/nowhere" };
    await expect(RealCluster.start({ env })).rejects.toMatchObject({
      reason: "BinariesMissing",
      message: expect.stringContaining("no usable etcd, kube-apiserver, kubectl in KUBEBUILDER_ASSETS or PATH"),
    });
  });
});
