// The informer suite against a real kube-apiserver: whole over HTTP/2 on a server as it comes, the everyday over HTTP/1.1,
// and what depends on the server's own ways on servers without WatchList, without watch cache, and without both.
import { RealCluster, type RealClusterOptions } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe } from "vitest";
import { openClient } from "../../client/client.ts";
import { inlineCaBundle } from "../../client/credentials/ca-bundle.ts";
import { type Credentials, tokenCredentials } from "../../client/credentials/credentials.ts";
import type { HttpVersion } from "../../client/http/server-connections.ts";
import type { Capability, OpenTarget } from "../../client/integration/client-suite.contract.ts";
import { clusterConfig } from "../../client/kubeconfig/cluster-config.ts";
import type { Encoding } from "../../client/rest/accept.ts";
import { defineInformerSuite } from "./informer-suite.contract.ts";

const neverAborted = new AbortController().signal;

function openTarget(
  cluster: RealCluster,
  httpVersion: HttpVersion,
  hasWatchCache: boolean,
  encoding: Encoding = "json",
): OpenTarget {
  const openAs = (credentials: Credentials) => {
    const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
    return openClient(clusterConfig({ server: cluster.url, tls, credentials }), { httpVersion, encoding });
  };
  const client = openAs(tokenCredentials(cluster.adminToken));
  const restart = async (how: "in order" | "abruptly", signal: AbortSignal) => {
    if (how === "abruptly") await cluster.kill("kube-apiserver");
    await cluster.restart("kube-apiserver", signal);
  };
  return {
    client,
    openAs,
    restart,
    async forget(signal) {
      await cluster.compact(signal);
      // The cache has a memory of its own. Ending in order takes 15 s while a watch is open, and tells it the newest version.
      if (hasWatchCache) await restart("abruptly", signal);
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const start = (options: RealClusterOptions = {}) =>
  RealCluster.start(
    { ...options, extraFlags: { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] } },
    neverAborted,
  );

const common: readonly Capability[] = [
  "restart",
  "forget",
  "credentials",
  "customResources",
  "apply",
  "tokens",
  "authorization",
  "sockets",
];

describe("a server as it comes", () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const capabilities: readonly Capability[] = [...common, "watchList", "bookmarks", "unpagedLists"];
  defineInformerSuite(
    { name: "kube-apiserver, HTTP/1.1", capabilities, open: async () => openTarget(cluster, "1.1", true) },
    ["following", "lists"],
  );
  defineInformerSuite({
    name: "kube-apiserver, HTTP/2",
    capabilities,
    open: async () => openTarget(cluster, "2", true),
  });
  defineInformerSuite({
    name: "kube-apiserver, protobuf",
    capabilities,
    open: async () => openTarget(cluster, "2", true, "protobuf"),
  });
});

const variants: readonly (readonly [string, RealClusterOptions, readonly Capability[]])[] = [
  ["without WatchList", { featureGates: { WatchList: false } }, ["noWatchList", "bookmarks", "unpagedLists"]],
  ["without watch cache", { watchCache: false }, ["watchList"]],
  ["without WatchList and watch cache", { featureGates: { WatchList: false }, watchCache: false }, ["noWatchList"]],
];
for (const [name, options, capabilities] of variants) {
  defineInformerSuite(
    {
      name: `kube-apiserver ${name}`,
      capabilities: [...common, ...capabilities],
      async open() {
        const cluster = await start(options);
        const target = openTarget(cluster, "auto", options.watchCache !== false);
        return {
          ...target,
          async [Symbol.asyncDispose]() {
            await target[Symbol.asyncDispose]();
            await cluster[Symbol.asyncDispose]();
          },
        };
      },
    },
    ["following", "lists", "disturbance"],
  );
}
