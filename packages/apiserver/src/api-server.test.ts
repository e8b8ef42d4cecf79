import { collectBytes } from "@kubeloop/core/api";
import { deferred, FakeClock, noLog, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { ask, namesAt, requestFor } from "./ask.fixture.ts";
import { anonymousUser } from "./authentication/users.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const maps = "/api/v1/namespaces/default/configmaps";

describe("a fresh server", () => {
  test("has the namespaces of every cluster", async () => {
    expect(await namesAt(server, "/api/v1/namespaces")).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
  });

  test("stores what it is given and hands it out again", async () => {
    const created = await ask(server, maps, { method: "POST", value: { metadata: { name: "a" }, data: { k: "v" } } });
    expect(created).toMatchObject({
      code: 201,
      object: { kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } },
    });
    expect(await ask(server, `${maps}/a`)).toEqual({ code: 200, object: created.object });
    expect(await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } })).toMatchObject({
      code: 409,
      object: { reason: "AlreadyExists", message: 'configmaps "a" already exists' },
    });
  });
});

describe("a server that is bent", () => {
  test("is as new after a reset, and goes forward from there", async () => {
    const before = await ask(server, "/api/v1/namespaces");
    await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } });
    await ask(server, "/api/v1/namespaces/kube-public", { method: "DELETE" });
    await server.reset();
    expect(await namesAt(server, maps)).toEqual([]);
    const after = await ask(server, "/api/v1/namespaces");
    const itemsOf = ({ object }: typeof after) => (object as { items: unknown }).items;
    const versionOf = ({ object }: typeof after) =>
      Number((object as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    expect(itemsOf(after)).toEqual(itemsOf(before));
    expect(versionOf(after)).toBeGreaterThan(versionOf(before));
  });

  test("still says after a reset who vouches for its clients", async () => {
    await using _listening = await server.listen();
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const before = await ask(server, path);
    await server.reset();
    const after = await ask(server, path);
    const dataOf = ({ object }: typeof after) => (object as { data: unknown }).data;
    expect([before.code, after.code]).toEqual([200, 200]);
    expect(dataOf(after)).toEqual(dataOf(before));
  });

  test("and after it goes back to before it listened", async () => {
    const before = server.snapshot();
    await using _listening = await server.listen();
    await server.restore(before);
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    expect((await ask(server, path)).code).toBe(200);
  });

  test("says nothing of an authority that no longer listens", async () => {
    const before = server.snapshot();
    await (await server.listen())[Symbol.asyncDispose]();
    await server.restore(before);
    const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    expect((await ask(server, path)).code).toBe(404);
  });

  test("has a fork without what was deleted here, at the same revision", async () => {
    const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
    await ask(server, role, { method: "DELETE" });
    const { revision } = server.snapshot();
    await using fork = await server.fork();
    expect(fork.snapshot().revision).toBe(revision);
    expect((await ask(fork, role)).code).toBe(404);
    await ask(fork, maps, { method: "POST", value: { metadata: { name: "a" } } });
    await fork.reset();
    expect((await ask(fork, role)).code).toBe(404);
    expect(await namesAt(fork, maps)).toEqual([]);
  });

  test("has a fork that holds the same, and goes its own way", async () => {
    const { object } = await ask(server, maps, { method: "POST", value: { metadata: { name: "a" } } });
    await using fork = await server.fork();
    await ask(server, maps, { method: "POST", value: { metadata: { name: "b" } } });
    await ask(server, `${maps}/a`, { method: "DELETE" });
    expect(await namesAt(server, maps)).toEqual(["b"]);
    expect(await namesAt(fork, maps)).toEqual(["a"]);
    expect((await ask(fork, `${maps}/a`)).object).toEqual(object);
  });
});

describe("a server that is closed", () => {
  beforeEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  test("says so to who asks inside the process", async () => {
    const status = { kind: "Status", code: 503, reason: "ServiceUnavailable", message: "the server is closed" };
    expect(await ask(server, maps)).toMatchObject({ code: 503, object: status });
  });

  test("says so in bytes to who wants bytes", async () => {
    const { signal } = new AbortController();
    await using response = await server.transport(requestFor(maps, {}, "bytes"), signal);
    if (response.body.kind !== "bytes") throw new Error("no bytes");
    const text = Buffer.from(await collectBytes(response.body.bytes, { maxBytes: 1e6 })).toString("utf8");
    expect(JSON.parse(text)).toMatchObject({ code: 503, message: "the server is closed" });
  });

  test("does not begin to listen", async () => {
    await expect(server.listen()).rejects.toMatchObject({ reason: "Closed", message: "the server is closed" });
  });
});

test("who is still asking when the server closes is told, and nobody is to blame", async () => {
  const failures: string[] = [];
  const log = { ...noLog, error: (message: string) => failures.push(message) };
  const closing = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1), log });
  const rest = deferred();
  async function* body() {
    yield Buffer.from('{"metadata":');
    await rest.promise;
    yield Buffer.from('{"name":"late"}}');
  }
  const request = { ...requestFor(maps, { method: "POST" }), body: { kind: "bytes", bytes: body() } } as const;
  const answering = closing.transport(request, new AbortController().signal);
  await closing[Symbol.asyncDispose]();
  rest.resolve();
  await using answer = await answering;
  expect([answer.status, answer.body]).toMatchObject([503, { value: { message: "the server is closed" } }]);
  expect(failures).toEqual([]);
});

test("a server that is closed while it begins to listen leaves no socket open", async () => {
  const port = await freePort();
  const listening = server.listen({ port, isPlain: true });
  const refused = expect(listening).rejects.toMatchObject({ reason: "Closed" });
  await server[Symbol.asyncDispose]();
  await refused;
  await using other = await ApiServer.open();
  expect((await other.listen({ port, isPlain: true })).port).toBe(port);
});

async function freePort(): Promise<number> {
  await using other = await ApiServer.open();
  return (await other.listen({ isPlain: true })).port;
}

describe("whoever asks is authorized, over no socket too", () => {
  const never = new AbortController().signal;
  const secrets = "/api/v1/namespaces/default/secrets";
  const codeOf = async (transport: ApiServer["transport"], path: string, headers = {}) => {
    await using response = await transport(requestFor(path, { headers }), never);
    return response.status;
  };

  test("the anonymous read no secrets", async () => {
    const refused = await server.answer(requestFor(secrets), anonymousUser, never);
    expect(refused.body).toMatchObject({
      value: {
        code: 403,
        message:
          'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" in the namespace "default"',
      },
    });
    expect((await server.answer(requestFor("/version"), anonymousUser, never)).status).toBe(200);
  });

  test("a controller in the process is a user like any other", async () => {
    const jane = { name: "jane" };
    expect(await codeOf(server.transportAs(jane), secrets)).toBe(403);
    expect(await codeOf(server.transportAs({ ...jane, groups: ["system:masters"] }), secrets)).toBe(200);
    await using open = await ApiServer.open({ clock: new FakeClock(), authorization: "always-allow" });
    expect(await codeOf(open.transportAs(jane), secrets)).toBe(200);
    expect((await open.answer(requestFor(secrets), anonymousUser, never)).status).toBe(403);
  });

  test("a request in somebody else's name has that one's rights", async () => {
    const asJane = { "impersonate-user": "jane" };
    expect(await codeOf(server.transport, secrets, asJane)).toBe(403);
    expect(await codeOf(server.transport, "/api", asJane)).toBe(200);
    const review = { method: "POST", value: {}, headers: asJane };
    expect(await ask(server, "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)).toMatchObject({
      object: { status: { userInfo: { username: "jane", groups: ["system:authenticated"] } } },
    });
  });

  test.each([
    ["list", "secrets", "jane", [], { allowed: false }],
    ["list", "secrets", "jane", ["system:masters"], { allowed: true }],
    ["impersonate", "users", "jane", [], { allowed: false }],
  ])("a review says of %s %s by %s in %j what a request would meet", async (verb, resource, user, groups, status) => {
    const spec = { user, groups, resourceAttributes: { verb, resource, namespace: "default" } };
    const review = { method: "POST", value: { spec } };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    expect(await ask(server, path, review)).toMatchObject({ code: 201, object: { status } });
  });

  test("a review of a path, and of oneself", async () => {
    const self = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = (path: string) =>
      requestFor(self, { method: "POST", value: { spec: { nonResourceAttributes: { verb: "get", path } } } });
    const asJane = server.transportAs({ name: "jane" });
    const statusOf = async (path: string) => (await asJane(review(path), never)).body;
    expect(await statusOf("/version")).toMatchObject({
      value: { status: { allowed: true, reason: expect.stringContaining("system:discovery") } },
    });
    expect(await statusOf("/metrics")).toMatchObject({ value: { status: { allowed: false } } });
  });

  test("a token is good as long as its socket is open", async () => {
    const listening = await server.listen();
    const review = { method: "POST", value: { spec: { token: listening.admin.token } } };
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    expect(await ask(server, path, review)).toMatchObject({ object: { status: { authenticated: true } } });
    await listening[Symbol.asyncDispose]();
    expect(await ask(server, path, review)).toMatchObject({ object: { status: { error: "[invalid bearer token]" } } });
  });
});
