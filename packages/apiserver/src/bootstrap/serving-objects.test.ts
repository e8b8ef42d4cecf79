// What a server says of itself while it listens, and takes back when it does not.
import { X509Certificate } from "node:crypto";
import { FakeClock, noLog, seededRandom } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";
import { createAuthority } from "../serving/certificate-authority.ts";
import { advertiseAddressOf } from "./advertise-address.ts";
import { combineCertificates } from "./cluster-authentication-trust.ts";
import { IdentityLease, identityOf } from "./identity-lease.ts";
import { LoopbackClient } from "./loopback-client.ts";

const never = new AbortController().signal;
const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const advertiseAddress = "10.20.30.40";

const trusted = async (server: ApiServer) =>
  (await ask<{ data: { "client-ca-file": string } }>(server, trust)).object.data["client-ca-file"];

describe("the authority that vouches for clients", () => {
  test("is added to, when a server listens a second time with another one", async () => {
    await using server = await ApiServer.open();
    const first = await server.listen({ advertiseAddress });
    const second = await server.listen({ advertiseAddress });
    const published = await trusted(server);
    expect(published).toBe(`${first.admin.caPem}${second.admin.caPem}`);
    await server.listen({ advertiseAddress, ...(first.authority === undefined ? {} : { authority: first.authority }) });
    expect(await trusted(server)).toBe(published);
  });

  test("is renewed on a state that another server left", async () => {
    await using before = await ApiServer.open();
    const old = await before.listen({ advertiseAddress });
    await using after = await before.fork();
    const { admin } = await after.listen({ advertiseAddress });
    expect(await trusted(after)).toBe(`${old.admin.caPem}${admin.caPem}`);
  });

  test("is there again when the state was brought back, or somebody has spoilt it", async () => {
    await using server = await ApiServer.open();
    const { admin } = await server.listen({ advertiseAddress });
    await server.reset();
    expect(await trusted(server)).toBe(admin.caPem);
    await ask(server, trust, {
      method: "PUT",
      value: { metadata: { name: "extension-apiserver-authentication" }, data: {} },
    });
    const { admin: second } = await server.listen({ advertiseAddress });
    expect(await trusted(server)).toBe(`${admin.caPem}${second.caPem}`);
  });

  test("of certificates each is named once, those that expired not at all, and noise is left out", async () => {
    const [a, b] = await Promise.all([createAuthority("a"), createAuthority("b")]);
    const [first, second] = [a.pair.certPem, b.pair.certPem];
    const endMs = Date.parse(new X509Certificate(first).validTo);
    const nowMs = endMs - 1_000;
    expect(combineCertificates(`${first}${second}`, first, nowMs)).toBe(`${first}${second}`);
    expect(combineCertificates(first, second, endMs + 299_000)).toBe(`${first}${second}`);
    expect(combineCertificates(first, second, endMs + 300_000)).toBe(second);
    const noise = "-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n";
    expect(combineCertificates(noise, second, nowMs)).toBe(second);
  });
});

describe("the Service kubernetes", () => {
  test("has Endpoints and an EndpointSlice while the server listens, and they are empty afterwards", async () => {
    await using server = await ApiServer.open();
    expect((await ask(server, endpoints)).code).toBe(404);
    const listening = await server.listen({ advertiseAddress });
    const { port } = listening;
    expect((await ask(server, endpoints)).object).toMatchObject({
      metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: advertiseAddress }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    });
    expect((await ask(server, slice)).object).toMatchObject({
      metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [advertiseAddress], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    });
    const service = await ask(server, "/api/v1/namespaces/default/services/kubernetes");
    expect(service.object).toMatchObject({ spec: { ports: [{ port: 443, targetPort: port }] } });
    await listening[Symbol.asyncDispose]();
    expect((await ask(server, endpoints)).object).not.toHaveProperty("subsets");
    expect((await ask<{ endpoints: unknown }>(server, slice)).object.endpoints).toBeNull();
  });

  test("changes family with the address, and hides nothing that is right", async () => {
    await using server = await ApiServer.open();
    const first = await server.listen({ advertiseAddress });
    await first[Symbol.asyncDispose]();
    await server.listen({ advertiseAddress: "2001:db8::1" });
    expect((await ask(server, slice)).object).toMatchObject({
      addressType: "IPv6",
      endpoints: [{ addresses: ["2001:db8::1"] }],
    });
    const version = (await ask<{ metadata: { resourceVersion: string } }>(server, endpoints)).object.metadata;
    await server.listen({ advertiseAddress: "2001:db8::2" });
    expect((await ask(server, endpoints)).object).toMatchObject({ metadata: version });
  });

  const nic = (address: string, family: "IPv4" | "IPv6", internal = false) =>
    ({ address, family, internal, netmask: "", mac: "", cidr: null, scopeid: 0 }) as never;
  test.each([
    ["an address of its own", "192.0.2.7", {}, "192.0.2.7"],
    ["loopback", "127.0.0.1", { lo: [nic("127.0.0.1", "IPv4", true)], e: [nic("10.0.0.5", "IPv4")] }, "10.0.0.5"],
    [
      "any",
      "0.0.0.0",
      { e: [nic("fe80::1", "IPv6"), nic("2001:db8::5", "IPv6"), nic("10.0.0.5", "IPv4")] },
      "10.0.0.5",
    ],
    ["a name", "localhost", { e: [nic("169.254.1.1", "IPv4"), nic("2001:db8::5", "IPv6")] }, "2001:db8::5"],
    ["loopback, on a machine alone", "::1", { lo: [nic("::1", "IPv6", true)] }, undefined],
  ] as const)("bound to %s", (_words, host, interfaces, expected) => {
    expect(advertiseAddressOf(host, interfaces as never)).toBe(expected);
  });
});

describe("the identity of a server", () => {
  // What kube-apiserver 1.36 names the lease on a host of this name.
  test("is a hash of the host's name", () => {
    expect(identityOf("host-1")).toBe("apiserver-fl6obw4ijfryx25ur4ugqryswq");
    expect(identityOf("host-1")).not.toBe(identityOf("host-2"));
  });

  const named = async (server: ApiServer) =>
    (
      await ask<{ items: readonly { metadata: { name: string; labels?: Record<string, string> }; spec: object }[] }>(
        server,
        leases,
      )
    ).object.items;

  test("is a lease while the server listens", async () => {
    await using server = await ApiServer.open();
    expect(await named(server)).toEqual([]);
    const first = await server.listen({ advertiseAddress });
    const second = await server.listen({ advertiseAddress });
    await first[Symbol.asyncDispose]();
    const [lease, ...others] = await named(server);
    expect(others).toEqual([]);
    expect(lease).toMatchObject({
      metadata: {
        labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" },
        annotations: { "kubernetes.io/peer-advertise-address": `${advertiseAddress}:${first.port}` },
      },
      spec: {
        leaseDurationSeconds: 3600,
        holderIdentity: expect.stringMatching(`^${lease?.metadata.name}_[0-9a-f-]{36}$`),
      },
    });
    await second[Symbol.asyncDispose]();
    expect(await named(server)).toEqual([]);
  });

  test("is renewed as long as the server listens, and no longer", async () => {
    const clock = new FakeClock();
    await using server = await ApiServer.open({ clock, random: seededRandom(1) });
    const listening = await server.listen({ advertiseAddress });
    const renewals = new Set<string>();
    for (let i = 0; i < 3; i++) {
      renewals.add(JSON.stringify((await named(server)).map(({ spec }) => spec)));
      await clock.advance(10_401);
    }
    expect(renewals.size).toBe(3);
    await listening[Symbol.asyncDispose]();
    await clock.advance(60_000);
    expect(await named(server)).toEqual([]);
  });

  test("is renewed every ten seconds, and made again if somebody deletes it", async () => {
    const clock = new FakeClock();
    const random = seededRandom(1);
    await using server = await ApiServer.open({ clock, random });
    const lease = new IdentityLease(new LoopbackClient(server.transport), {
      clock,
      random,
      log: noLog,
      hostname: "h",
      peerAddress: undefined,
      newUid: () => "uid",
    });
    await lease.begin(never);
    const renewTime = async () => (await ask<{ spec: { renewTime: string } }>(server, path)).object.spec?.renewTime;
    const path = `${leases}/${identityOf("h")}`;
    const first = await renewTime();
    const controller = new AbortController();
    const keeping = lease.keep(controller.signal).catch(() => {});
    await clock.advance(9_999);
    expect(await renewTime()).toBe(first);
    await clock.advance(402);
    expect(await renewTime()).not.toBe(first);
    await ask(server, path, { method: "DELETE" });
    await clock.advance(10_401);
    expect((await ask(server, path)).object).toMatchObject({ spec: { holderIdentity: `${identityOf("h")}_uid` } });
    controller.abort();
    await keeping;
  });
});
