import { collectBytes, type KubernetesObject } from "@kubeloop/core/api";
import { FakeClock } from "@kubeloop/core/base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../../../api-server.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

describe("scale", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await ApiServer.open({ clock: new FakeClock() });
    await send("POST", deployments, { body: deployment });
  });
  afterAll(async () => await server[Symbol.asyncDispose]());

  async function send(
    method: "GET" | "POST" | "PATCH",
    path: string,
    { body, accept = "application/json" }: { readonly body?: object; readonly accept?: string } = {},
  ): Promise<unknown> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const headers = { accept, "content-type": type, "user-agent": "autoscaler/1" };
    const request = { method, path, query: [], headers, body: { kind: "bytes", bytes }, prefers: "bytes" } as const;
    await using response = await server.transport(request, new AbortController().signal);
    if (response.body.kind !== "bytes") throw new Error("no bytes");
    return JSON.parse(Buffer.from(await collectBytes(response.body.bytes, { maxBytes: 1e6 })).toString("utf8"));
  }

  test("has a table of its own", async () => {
    const shown = await send("GET", `${deployments}/web/scale`, { accept: table });
    expect(shown).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name" }, { name: "Desired" }, { name: "Available" }, { name: "Age" }],
      rows: [{ cells: ["web", 2, 0, "0s"] }],
    });
  });

  test("takes the replicas over, under its own subresource and without a time", async () => {
    await send("PATCH", `${deployments}/web/scale`, { body: { spec: { replicas: 5 } } });
    const { metadata } = (await send("GET", `${deployments}/web`)) as KubernetesObject;
    const [scaled, ...others] = metadata.managedFields ?? [];
    expect(scaled).toEqual({
      manager: "autoscaler",
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
      subresource: "scale",
    });
    expect(others).toHaveLength(1);
    expect(JSON.stringify(others)).not.toContain("f:replicas");
  });
});
