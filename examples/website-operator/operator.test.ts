import { noBody } from "@kubeloop/core/api";
import { leases } from "@kubeloop/core/resources";
import type { Manager } from "@kubeloop/core/runtime";
import { describe, expect, test } from "vitest";
import { websites } from "./generated/web.example.com/v1/website.ts";
import { newOperator, rbacManifest, webhookManifest } from "./operator.ts";
import { FakeDns, key, openCluster, readManifest } from "./website-cluster.fixture.ts";

async function ask(manager: Manager, path: string): Promise<string> {
  const request = { method: "GET", path, query: [], headers: {}, body: noBody, prefers: "bytes" } as const;
  const { body } = await manager.handler(request, new AbortController().signal);
  let text = "";
  if (body.kind === "bytes") for await (const bytes of body.bytes) text += Buffer.from(bytes).toString();
  return text;
}

describe("the process", () => {
  test("is ready, healthy and counted", async () => {
    await using all = openCluster();
    const { cluster, manager } = all;
    await cluster.eventually(() => cluster.get(websites, key)?.status);
    expect(await ask(manager, "/healthz")).toBe("ok");
    expect(await ask(manager, "/readyz")).toBe("ok");
    expect(await ask(manager, "/metrics")).toMatch(
      /controller_runtime_reconcile_total\{controller="website-operator",result="success"\} [1-9]/,
    );
  });

  test("works only while it holds the lease", async () => {
    await using all = openCluster();
    const { cluster, manager } = all;
    await cluster.eventually(() => manager.isLeader);
    const second = newOperator({ ...cluster.parts, dns: new FakeDns() }).manager;
    cluster.run((signal) => second.run(signal));
    await cluster.clock.advance(60_000);
    expect([manager.isLeader, second.isLeader]).toEqual([true, false]);
    expect(cluster.list(leases).map(({ metadata }) => metadata.name)).toEqual(["website-operator"]);
  });
});

describe("manifests", () => {
  test("rbac.json is what the controller needs", () => expect(readManifest("rbac.json")).toEqual(rbacManifest()));
  test("webhook.json is what the webhook says", () => expect(readManifest("webhook.json")).toEqual(webhookManifest()));
});
