import { collectBytes, noBody } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";

const { signal } = new AbortController();

async function get(server: ApiServer, path: string): Promise<unknown> {
  const request = { method: "GET", path, query: [], headers: {}, body: noBody, prefers: "bytes" } as const;
  await using response = await server.transport(request, signal);
  if (response.body.kind !== "bytes") throw new Error("no bytes");
  return JSON.parse(Buffer.from(await collectBytes(response.body.bytes, { maxBytes: 1e6 })).toString("utf8"));
}

test("who listens tells others which authority vouches for clients, and where it is", async () => {
  await using server = await ApiServer.open();
  const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  expect(await get(server, path)).toMatchObject({ code: 404 });
  const { url, admin } = await server.listen();
  expect(await get(server, path)).toMatchObject({ data: { "client-ca-file": admin.caPem } });
  const { host } = new URL(url);
  expect(await get(server, "/api")).toMatchObject({ serverAddressByClientCIDRs: [{ serverAddress: host }] });
});

test("where it is, is the address that is advertised, if one is given", async () => {
  await using server = await ApiServer.open();
  const { port } = await server.listen({ advertiseAddress: "2001:db8::1" });
  const serverAddress = `[2001:db8::1]:${port}`;
  expect(await get(server, "/api")).toMatchObject({ serverAddressByClientCIDRs: [{ serverAddress }] });
});
