// What can be done to a running cluster: compaction, restart, kill, pause.
import { systemClock, timeoutSignal } from "@kubeloop/core/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callApi, kubectl, type ListShape } from "./cluster-client.fixture.ts";
import { RealCluster } from "./real-cluster.ts";

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start();
  console.log(`etcd and API server ready in ${Math.round(cluster.startedInMs)} ms`);
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

const configMaps = "/api/v1/namespaces/default/configmaps";
const resourceVersionNow = async () => (await callApi(cluster, configMaps)).json<ListShape>().metadata.resourceVersion;
const keeps = async (name: string, change: () => Promise<void>) => {
  await kubectl(cluster, "create", "configmap", name);
  const url = cluster.url;
  await change();
  expect(cluster.url).toBe(url);
  expect(await kubectl(cluster, "get", "configmap", name, "--output=name")).toBe(`configmap/${name}\n`);
};

describe("a running cluster", () => {
  test("keeps address and data through an orderly restart of the API server", async () => {
    const before = cluster.pids;
    await keeps("restarted", () => cluster.restart());
    expect(cluster.pids).not.toEqual(before);
  });

  test("keeps address and data when the API server is killed and started again", () =>
    keeps("killed", async () => {
      await cluster.kill();
      await expect(callApi(cluster, "/readyz")).rejects.toThrow("ECONNREFUSED");
      await cluster.restart();
    }));

  test("keeps its data when etcd is killed and started again", () =>
    keeps("etcd-killed", async () => {
      await cluster.kill("etcd");
      await cluster.restart("etcd");
      await cluster.restart();
    }));

  test("is silent while paused and answers afterwards", async () => {
    cluster.pause();
    using patience = timeoutSignal(new AbortController().signal, 500, { clock: systemClock, what: "a paused server" });
    await expect(callApi(cluster, "/readyz", {}, patience.signal)).rejects.toThrow("a paused server timed out");
    cluster.resume();
    expect((await callApi(cluster, "/readyz")).text).toBe("ok");
  });

  test("forgets old versions when compacted and restarted, watch cache and all", async () => {
    const old = await resourceVersionNow();
    await kubectl(cluster, "create", "configmap", "after-old");
    await cluster.compact();
    await cluster.restart();
    const watch = `${configMaps}?watch=true&timeoutSeconds=5&resourceVersion=${old}`;
    const list = `${configMaps}?resourceVersionMatch=Exact&resourceVersion=${old}`;
    expect((await callApi(cluster, watch)).text).toContain('"code":410');
    expect((await callApi(cluster, list)).status).toBe(410);
  });

  test("has logs of what it runs, and nothing of what it does not", async () => {
    expect(await cluster.logs("kube-apiserver")).toContain("Version: v1.36");
    expect(() => cluster.logs("kube-scheduler")).toThrow("this cluster was started without kube-scheduler");
  });
});
