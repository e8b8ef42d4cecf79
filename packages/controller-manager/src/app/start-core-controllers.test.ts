// The controllers of the core group as the manager starts them: from flags and files.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@kubeloop/apiserver/authority";
import type { corev1 } from "@kubeloop/core/api";
import { configMaps, namespaces, nodes, serviceAccounts } from "@kubeloop/core/resources";
import { expect, test } from "vitest";
import { type ManagedCluster, withManager } from "./manager-on-embedded-server.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "kubeloop-core-controllers-"));
const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const newShop = async ({ client, signal }: ManagedCluster) => {
  const shop: corev1.Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  await client.resource(namespaces).create(shop, signal);
};
const publishedIn = ({ client, signal, until }: ManagedCluster, namespace: string) =>
  until("the published authority", async () => {
    const found = await client
      .resource(configMaps)
      .in(namespace)
      .get("kube-root-ca.crt", signal)
      .catch(() => undefined);
    return found?.data;
  });

test("the serviceaccount controller runs", async () => {
  await withManager(["--controllers=serviceaccount"], async (cluster) => {
    await newShop(cluster);
    const accounts = cluster.client.resource(serviceAccounts).in("shop");
    await cluster.until("an account", () => accounts.get("default", cluster.signal).catch(() => undefined));
  });
});

test("the ttl controller runs", async () => {
  await withManager(["--controllers=ttl"], async ({ client, signal, until }) => {
    await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, signal);
    await until("the annotation", async () => {
      const { metadata } = await client.resource(nodes).get("n", signal);
      return metadata.annotations?.["node.alpha.kubernetes.io/ttl"] === "0";
    });
  });
});

test("the root CA publisher publishes the file that --root-ca-file names", async () => {
  const { pair } = await createAuthority("root");
  const { certPem: certificate } = pair;
  const path = write("ca.crt", certificate);
  await withManager(["--controllers=root-ca-cert-publisher", `--root-ca-file=${path}`], async (cluster) => {
    await newShop(cluster);
    expect(await publishedIn(cluster, "shop")).toEqual({ "ca.crt": certificate });
  });
});

test("without --root-ca-file it publishes with what the manager verifies the server", async () => {
  const given = { clusterCa: "of the kubeconfig" };
  await withManager(
    ["--controllers=root-ca-cert-publisher"],
    async (cluster) => {
      await newShop(cluster);
      expect(await publishedIn(cluster, "shop")).toEqual({ "ca.crt": "of the kubeconfig" });
    },
    given,
  );
});

test.each([
  ["is not there", join(folder, "none.crt"), "ENOENT"],
  ["holds no certificate", write("empty.crt", "nothing"), "data does not contain any valid RSA or ECDSA certificates"],
])("a file of --root-ca-file that %s ends the manager", async (_fact, path, why) => {
  const running = withManager(["--controllers=root-ca-cert-publisher", `--root-ca-file=${path}`], async (cluster) => {
    await cluster.until("the end", async () => false);
  });
  await expect(running).rejects.toThrow(`error parsing root-ca-file at ${path}: ${why}`);
});
