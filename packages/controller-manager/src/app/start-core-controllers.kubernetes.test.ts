// The manager on a real server: a token that it signs is taken by the server, and each controller gets by with the role of its account.
import { join } from "node:path";
import { type authenticationv1, type corev1, isNotFound } from "@kubeloop/core/api";
import { noLog, systemClock, TaskScope } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { configMaps, namespaces, nodes, secrets, serviceAccounts, tokenReviews } from "@kubeloop/core/resources";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { complete } from "./config.ts";
import { run } from "./run.ts";

const stop = new AbortController();
const { signal } = stop;
let cluster: RealCluster;
let client: Client;
let running: Promise<void>;
beforeAll(async () => {
  cluster = await RealCluster.start({}, signal);
  client = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, signal));
  const options = parseOptions([
    "--controllers=serviceaccount,root-ca-cert-publisher,ttl",
    "--use-service-account-credentials",
    `--service-account-private-key-file=${join(cluster.folder, "service-account.key")}`,
    "--leader-elect=false",
    "--secure-port=0",
  ]);
  const config = complete({ options, client, clusterCa: cluster.caPem, log: noLog });
  running = new TaskScope(signal).spawn((each) => run(config, each)).catch(() => {});
});
afterAll(async () => {
  stop.abort(new Error("the test is over"));
  await running;
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** Looks until it finds something; the test's own limit is the patience. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    if (found !== undefined) return found;
    await systemClock.sleep(50, signal);
  }
}

async function review(token: string): Promise<authenticationv1.TokenReviewStatus> {
  const asked: authenticationv1.TokenReview = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    metadata: {},
    spec: { token },
  };
  const { status = {} } = await client.resource(tokenReviews).create(asked, signal);
  return status;
}

test("a token that the manager signs is taken by the server, until its account is deleted", async () => {
  const accounts = client.resource(serviceAccounts).in("default");
  const { metadata } = await accounts.create(
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "builder" } },
    signal,
  );
  const secret: corev1.Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "builder" } },
    type: "kubernetes.io/service-account-token",
  };
  const its = client.resource(secrets).in("default");
  await its.create(secret, signal);
  const filled = await until(async () => (await its.get("token", signal)).data?.["token"]);
  const token = Buffer.from(filled, "base64").toString();
  expect(await review(token)).toMatchObject({
    authenticated: true,
    user: { username: "system:serviceaccount:default:builder", uid: metadata.uid },
  });
  await accounts.delete("builder", {}, signal);
  await until(async () => ((await review(token)).authenticated === true ? undefined : true));
  const isGone = async () =>
    await its.get("token", signal).then(
      () => undefined,
      (error: unknown) => isNotFound(error),
    );
  expect(await until(isGone)).toBe(true);
});

test("the others get by with the roles of their accounts", async () => {
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, signal);
  await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, signal);
  const published = client.resource(configMaps).in("shop");
  await until(() => client.resource(serviceAccounts).in("shop").get("default", signal));
  const { data } = await until(() => published.get("kube-root-ca.crt", signal));
  expect(data).toEqual({ "ca.crt": cluster.caPem });
  await published.patch("kube-root-ca.crt", { type: "merge", body: { data: { more: "x" } } }, signal);
  await until(async () =>
    (await published.get("kube-root-ca.crt", signal)).data?.["more"] === undefined ? true : undefined,
  );
  const node = client.resource(nodes);
  expect(
    await until(async () => (await node.get("n", signal)).metadata.annotations?.["node.alpha.kubernetes.io/ttl"]),
  ).toBe("0");
});
