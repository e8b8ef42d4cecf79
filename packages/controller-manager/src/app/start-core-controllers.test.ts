// The controllers of the core group as the manager starts them: from flags and files.
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@kubeloop/apiserver/authority";
import type { corev1 } from "@kubeloop/core/api";
import {
  configMaps,
  events,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  replicationControllers,
  secrets,
  serviceAccounts,
} from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { type ManagedCluster, type ManagedRequests, withManager } from "./manager-on-embedded-server.fixture.ts";

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

test("a controller asks under the name of its service account", async () => {
  const agents = new Set<string>();
  const onRequest: ManagedRequests = ({ method, path, headers }) => {
    const isItsWrite = method === "POST" && path === "/api/v1/namespaces/shop/serviceaccounts";
    if (isItsWrite) agents.add(String(headers["user-agent"]).split("/").at(-1) ?? "");
  };
  await withManager(
    ["--controllers=serviceaccount"],
    async (cluster) => {
      await newShop(cluster);
      await cluster.until("an account is asked for", async () => agents.size > 0);
    },
    { onRequest },
  );
  expect([...agents]).toEqual(["service-account-controller"]);
});

test("with --use-service-account-credentials it asks for a token of that account", async () => {
  let asked = "";
  const onRequest: ManagedRequests = ({ path }) => {
    if (path.endsWith("/token")) asked = path;
  };
  await withManager(
    ["--controllers=serviceaccount", "--use-service-account-credentials"],
    async (cluster) => {
      await newShop(cluster);
      await cluster.until("a token is asked for", async () => asked !== "");
    },
    { onRequest },
  );
  expect(asked).toBe("/api/v1/namespaces/kube-system/serviceaccounts/service-account-controller/token");
});

test("the replicationcontroller controller runs, and its events name upstream's source", async () => {
  await withManager(["--controllers=replicationcontroller"], async ({ client, signal, until }) => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } };
    const spec = { replicas: 1, selector: labels, template };
    await client
      .resource(replicationControllers)
      .in("default")
      .create({ apiVersion: "v1", kind: "ReplicationController", metadata: { name: "web" }, spec }, signal);
    const sources = new Set<string | undefined>();
    await until("an event", async () => {
      for await (const { source } of client.resource(events).in("default").list({}, signal))
        sources.add(source?.component);
      return sources.size > 0;
    });
    expect([...sources]).toEqual(["replication-controller"]);
  });
});

test("the volume protection runs", async () => {
  await withManager(["--controllers=pv-protection"], async ({ client, signal, until }) => {
    const all = client.resource(persistentVolumes);
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } };
    await all.create({ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "disk" }, spec }, signal);
    await until("the finalizer", async () => (await all.get("disk", signal)).metadata.finalizers?.length === 1);
  });
});

test.each([
  ["says nothing of its use unless it is told to", [], []],
  ["says whether it is used with its gate", ["--feature-gates=PersistentVolumeClaimUnusedSinceTime=true"], ["Unused"]],
])("the claim protection runs: a claim %s", async (_fact, args, expected) => {
  await withManager(["--controllers=pvc-protection", ...args], async ({ client, signal, until }) => {
    const claims = client.resource(persistentVolumeClaims).in("default");
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await claims.create({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec }, signal);
    // The condition is written first.
    const { status } = await until("the finalizer", async () => {
      const found = await claims.get("data", signal);
      return found.metadata.finalizers?.length === 1 && found;
    });
    expect((status?.conditions ?? []).map(({ type }) => type)).toEqual(expected);
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

describe("the token controller", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const keyFile = write("sa.key", privateKey.export({ type: "sec1", format: "pem" }) as string);
  const keyFlag = `--service-account-private-key-file=${keyFile}`;

  const newToken = async ({ client, signal }: ManagedCluster) => {
    const metadata = { name: "builder" };
    await client
      .resource(serviceAccounts)
      .in("default")
      .create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, signal);
    const token: corev1.Secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "builder" } },
      type: "kubernetes.io/service-account-token",
    };
    await client.resource(secrets).in("default").create(token, signal);
  };
  const untilFilled = ({ client, signal, until }: ManagedCluster) =>
    until("the secret is filled", async () => {
      const { data = {} } = await client.resource(secrets).in("default").get("token", signal);
      return data["token"] === undefined ? undefined : data;
    });
  const textOf = (base64: string | undefined, encoding: BufferEncoding = "base64") =>
    Buffer.from(base64 ?? "", encoding).toString();

  test("signs with the key that --service-account-private-key-file names, and hands out the root CA", async () => {
    await withManager(
      ["--controllers=serviceaccount-token", keyFlag],
      async (cluster) => {
        await newToken(cluster);
        const data = await untilFilled(cluster);
        const [header, payload, signature = ""] = textOf(data["token"]).split(".");
        const verifier = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" } as const;
        const signed = Buffer.from(`${header}.${payload}`);
        expect(verify("sha256", signed, verifier, Buffer.from(signature, "base64url"))).toBe(true);
        expect(JSON.parse(textOf(payload, "base64url"))).toMatchObject({
          iss: "kubernetes/serviceaccount",
          sub: "system:serviceaccount:default:builder",
        });
        expect(textOf(data["ca.crt"])).toBe("of the kubeconfig");
      },
      { clusterCa: "of the kubeconfig" },
    );
  });

  test("runs also where --controllers does not name it: others need its tokens", async () => {
    await withManager(["--controllers=ttl", keyFlag], async (cluster) => {
      await newToken(cluster);
      await untilFilled(cluster);
    });
  });

  test("is skipped without a key, and the others run", async () => {
    await withManager(["--controllers=serviceaccount-token,root-ca-cert-publisher"], async (cluster) => {
      await newToken(cluster);
      await newShop(cluster);
      await publishedIn(cluster, "shop");
      const { data = {} } = await cluster.client.resource(secrets).in("default").get("token", cluster.signal);
      expect(data).toEqual({});
    });
  });

  test.each([
    ["a key that is not there", `--service-account-private-key-file=${join(folder, "none.key")}`, "error reading key"],
    ["a root CA that is not there", `--root-ca-file=${join(folder, "none.crt")}`, "error parsing root-ca-file"],
  ])("%s ends the manager", async (_fact, flag, why) => {
    const running = withManager(["--controllers=ttl", keyFlag, flag], async (cluster) => {
      await cluster.until("the end", async () => false);
    });
    await expect(running).rejects.toThrow(why);
  });

  test("asks the server as the manager itself, under the name tokens-controller", async () => {
    const agents = new Set<string>();
    const credentials = new Set<string>();
    const onRequest: ManagedRequests = ({ method, path, headers }) => {
      if (method !== "PUT" || !path.endsWith("/secrets/token")) return;
      agents.add(String(headers["user-agent"]));
      credentials.add(String(headers["authorization"] ?? "none"));
    };
    const args = ["--controllers=serviceaccount-token", "--use-service-account-credentials", keyFlag];
    await withManager(
      args,
      async (cluster) => {
        await newToken(cluster);
        await untilFilled(cluster);
      },
      { onRequest },
    );
    expect([...agents]).toEqual([expect.stringMatching(/kubeloop\/tokens-controller$/)]);
    // The client of the test has none, and so does the root's.
    expect([...credentials]).toEqual(["none"]);
  });
});
