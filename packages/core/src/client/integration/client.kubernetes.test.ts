// The client suite against a real kube-apiserver: whole over HTTP/2 on a server as it comes, all that needs no restart over
// HTTP/1.1, lists and watches on servers without WatchList, without watch cache, and without both.
import { RealCluster, type RealClusterOptions } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe } from "vitest";
import { openClient } from "../client.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { type Credentials, tokenCredentials } from "../credentials/credentials.ts";
import type { HttpVersion } from "../http/server-connections.ts";
import { clusterConfig } from "../kubeconfig/cluster-config.ts";
import { type Capability, defineClientSuite, type OpenTarget } from "./client-suite.contract.ts";

const neverAborted = new AbortController().signal;

function openTarget(cluster: RealCluster, httpVersion: HttpVersion, hasWatchCache: boolean): OpenTarget {
  const openAs = (credentials: Credentials) => {
    const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
    return openClient(clusterConfig({ server: cluster.url, tls, credentials }), { httpVersion });
  };
  const client = openAs(tokenCredentials(cluster.adminToken));
  return {
    client,
    openAs,
    clientCertificate: (identity) => cluster.clientCertificate(identity),
    pause: () => cluster.pause(),
    resume: () => cluster.resume(),
    async restart(how, signal) {
      if (how === "abruptly") await cluster.kill("kube-apiserver");
      await cluster.restart("kube-apiserver", signal);
    },
    async forget(signal) {
      await cluster.compact(signal);
      // The cache has a memory of its own.
      if (hasWatchCache) await cluster.restart("kube-apiserver", signal);
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
  "pause",
  "restart",
  "flowControl",
  "credentials",
  "clientCertificates",
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
  defineClientSuite(
    {
      name: "kube-apiserver, HTTP/1.1",
      capabilities,
      open: async () => openTarget(cluster, "1.1", true),
    },
    ["verbs", "patches", "subresources", "lists", "watches", "identity", "limits"],
  );
  defineClientSuite({
    name: "kube-apiserver, HTTP/2",
    capabilities: [...capabilities, "forget"],
    open: async () => openTarget(cluster, "2", true),
  });
});

const variants: readonly (readonly [string, RealClusterOptions, readonly Capability[]])[] = [
  ["without WatchList", { featureGates: { WatchList: false } }, ["noWatchList", "bookmarks", "unpagedLists"]],
  ["without watch cache", { watchCache: false }, ["watchList", "forget"]],
  [
    "without WatchList and watch cache",
    { featureGates: { WatchList: false }, watchCache: false },
    ["noWatchList", "forget"],
  ],
];
for (const [name, options, capabilities] of variants) {
  defineClientSuite(
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
    ["lists", "watches"],
  );
}
