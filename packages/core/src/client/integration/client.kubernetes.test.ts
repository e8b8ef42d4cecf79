// The client suite against a real kube-apiserver: whole over HTTP/2 on a server as it comes, all that needs no restart over
// HTTP/1.1, lists and watches on servers without WatchList, without watch cache, and without both.
import { RealCluster, type RealClusterOptions } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { allResources, type KubernetesObject } from "../../api/index.ts";
import { openClient } from "../client.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { type Credentials, tokenCredentials } from "../credentials/credentials.ts";
import type { HttpVersion } from "../http/server-connections.ts";
import { clusterConfig } from "../kubeconfig/cluster-config.ts";
import type { Encoding } from "../rest/accept.ts";
import type { ResourceClient } from "../rest/resource-client.ts";
import { type Capability, defineClientSuite, type OpenTarget } from "./client-suite.contract.ts";
import { haveWidgets } from "./objects.contract.ts";

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

describe("a server that is asked for protobuf", () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  defineClientSuite(
    {
      name: "kube-apiserver, protobuf",
      capabilities: [...common, "watchList", "bookmarks", "unpagedLists"],
      open: async () => openTarget(cluster, "2", true, "protobuf"),
    },
    ["verbs", "patches", "subresources", "lists", "watches", "identity", "limits"],
  );

  test("sends it for built-in kinds and for metadata of all kinds, JSON for custom resources", async () => {
    await using target = openTarget(cluster, "2", true, "protobuf");
    const { client } = target;
    const widgets = await haveWidgets(client, neverAborted);
    const encodingsOf = async (asked: unknown) => {
      const encodings: string[] = [];
      const observed = (asked as ResourceClient<KubernetesObject>).observed({
        onAnswer: (encoding) => void encodings.push(encoding),
        onMalformed: () => {},
      });
      const { metadata } = await observed.list(neverAborted).toArray();
      const { resourceVersion = "" } = metadata;
      for await (const _ of observed.watch({ resourceVersion, timeoutSeconds: 1 }, neverAborted));
      return encodings;
    };
    expect(await encodingsOf(client.resource(configMaps))).toEqual(["protobuf", "protobuf"]);
    expect(await encodingsOf(client.metadata(configMaps))).toEqual(["protobuf", "protobuf"]);
    expect(await encodingsOf(client.metadata(widgets))).toEqual(["protobuf", "protobuf"]);
    expect(await encodingsOf(client.resource(widgets))).toEqual(["json", "json"]);
  });

  test("sends the same objects as in JSON, to the letter", async () => {
    const json = openTarget(cluster, "2", true, "json");
    const protobuf = openTarget(cluster, "2", true, "protobuf");
    let compared = 0;
    for (const resource of allResources().filter(
      ({ servedByDefault, verbs }) => servedByDefault && verbs.includes("list"),
    )) {
      const [inJson, inProtobuf] = await Promise.all(
        [json, protobuf].map(async ({ client }) => {
          const objects: string[] = [];
          for await (const object of client.resource(resource).list(neverAborted)) objects.push(withoutClock(object));
          // The components stand in the order in which their probes end.
          return resource.plural === "componentstatuses" ? objects.sort() : objects;
        }),
      );
      expect(inProtobuf, resource.plural).toEqual(inJson);
      compared += inJson?.length ?? 0;
    }
    expect(compared).toBeGreaterThan(100);
    await json[Symbol.asyncDispose]();
    await protobuf[Symbol.asyncDispose]();
  });
});

/** The server renews its own leases all the time. */
function withoutClock(object: object): string {
  return JSON.stringify(object).replaceAll(/"(resourceVersion|renewTime|time)":"[^"]*"/g, "");
}

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
