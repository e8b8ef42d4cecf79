// What the server says about itself: discovery with tags, health by check, and what it counted.
import { type ApiResponse, collectBytes } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { type Asked, requestFor } from "../ask.fixture.ts";
import { MemoryStorage } from "../storage/index.ts";
import { answerHealth } from "./health.ts";
import { type CheckedParts, healthChecks } from "./health-checks.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const send = (path: string, asked?: Asked): Promise<ApiResponse> =>
  server.transport(requestFor(path, asked, "bytes"), never);

async function ask(path: string, asked?: Asked) {
  await using response = await send(path, asked);
  const { status, headers, body } = response;
  const chunks: Uint8Array[] = [];
  if (body.kind === "bytes") for await (const chunk of body.bytes) chunks.push(chunk);
  return { code: status, headers, text: Buffer.concat(chunks).toString("utf8") };
}

describe("discovery", () => {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

  for (const path of ["/api", "/apis"]) {
    test(`of ${path} in one document has a tag; who has it is told so, and no more`, async () => {
      const first = await ask(path, { headers: { accept } });
      const { kind, items } = JSON.parse(first.text) as { kind: string; items: readonly unknown[] };
      expect([first.code, kind, items.length > 0]).toEqual([200, "APIGroupDiscoveryList", true]);
      const { etag = "" } = first.headers as { readonly etag?: string };
      expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
      const again = await ask(path, { headers: { accept, "if-none-match": etag } });
      expect([again.code, again.text]).toEqual([304, ""]);
      const other = await ask(path, { headers: { accept, "if-none-match": '"another"' } });
      expect([other.code, other.text]).toEqual([200, first.text]);
    });
  }

  test("for older clients is a list of groups", async () => {
    const { text } = await ask("/apis", { headers: { accept: "application/json" } });
    expect(JSON.parse(text)).toMatchObject({ kind: "APIGroupList", groups: expect.arrayContaining([]) });
  });
});

describe("health", () => {
  const hooks = [
    "start-system-namespaces-controller",
    "storage-readiness",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
  ].map((name) => `poststarthook/${name}`);
  const alive = ["ping", "log", "etcd", ...hooks];
  const ready = ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...hooks, "shutdown"];
  const verbose = ["verbose", ""] as const;
  const listed = (names: readonly string[], end: string) =>
    `${names.map((name) => `[+]${name} ok\n`).join("")}${end}\n`;

  for (const [fact, path, query, code, text] of [
    ["is one word", "/livez", [], 200, "ok"],
    ["is a line per check for who asks", "/livez", [verbose], 200, listed(alive, "livez check passed")],
    ["is the same by its oldest name", "/healthz", [verbose], 200, listed(alive, "healthz check passed")],
    ["to be ready needs more", "/readyz", [verbose], 200, listed(ready, "readyz check passed")],
    ["is asked of one check alone", "/healthz/ping", [], 200, "ok"],
    ["of the storage has etcd's name", "/readyz/etcd", [], 200, "ok"],
    ["of the log is there", "/healthz/log", [], 200, "ok"],
    ["of what was done at the start is there", "/livez/poststarthook/rbac/bootstrap-roles", [], 200, "ok"],
    ["of a check nobody has is not found", "/healthz/nonsense", [], 404, "404 page not found\n"],
    ["of a check of another endpoint is not found", "/livez/shutdown", [], 404, "404 page not found\n"],
    ["has no slash at its end", "/livez/", [], 404, "404 page not found\n"],
    [
      "leaves out what is not asked about",
      "/livez",
      [verbose, ["exclude", "ping"]],
      200,
      `[+]ping excluded: ok\n${listed(alive.slice(1), "livez check passed")}`,
    ],
    [
      "says what could not be left out",
      "/livez",
      [verbose, ["exclude", "b"], ["exclude", "a"]],
      200,
      `${listed(alive, 'warn: some health checks cannot be excluded: no matches for "a","b"')}livez check passed\n`,
    ],
  ] as const) {
    test(fact, async () => expect(await ask(path, { query })).toMatchObject({ code, text }));
  }

  test("as numbers is apart from all else that is counted", async () => {
    const { code, text } = await ask("/metrics/slis");
    expect([code, text]).toEqual([200, expect.stringContaining('kubernetes_healthcheck{name="etcd",type="readyz"} 1')]);
    expect(text).not.toContain("apiserver_request_total");
    expect((await ask("/metrics/nonsense")).code).toBe(404);
  });

  test("is listed among the paths there are", async () => {
    const { paths } = JSON.parse((await ask("/")).text) as { readonly paths: readonly string[] };
    expect(paths).toEqual(expect.arrayContaining(["/livez/etcd", "/readyz/shutdown", "/metrics/slis"]));
    expect(paths).not.toContain("/livez/shutdown");
  });
});

describe("the health of a server", () => {
  const storage = new MemoryStorage();
  const request = requestFor("/readyz", {}, "bytes");
  const textOf = async (only: string | undefined, checked: CheckedParts) => {
    const response = await answerHealth(request, "readyz", only, healthChecks(checked));
    if (response?.body.kind !== "bytes") throw new Error("no bytes");
    return [response.status, Buffer.from(await collectBytes(response.body.bytes, { maxBytes: 1e6 })).toString()];
  };

  test("that is closing is bad, and why is told to who asks for it", async () => {
    const checked = { storage, closing: AbortSignal.abort() };
    const [code, text] = await textOf(undefined, checked);
    expect([code, text]).toEqual([
      500,
      expect.stringMatching(/\[-\]shutdown failed: reason withheld\nreadyz check failed\n$/),
    ]);
    expect(await textOf("shutdown", checked)).toEqual([500, "internal server error: process is shutting down\n"]);
  });

  test("whose storage fails is bad", async () => {
    const broken = Object.assign(new MemoryStorage(), { list: () => Promise.reject(new Error("disk full")) });
    const checked = { storage: broken, closing: never };
    const [code, text] = await textOf(undefined, checked);
    expect([code, text]).toEqual([
      500,
      expect.stringContaining("[-]etcd failed: reason withheld\n[-]etcd-readiness failed"),
    ]);
    expect(await textOf("etcd", checked)).toEqual([500, "internal server error: disk full\n"]);
  });
});

describe("metrics", () => {
  const linesOf = async (name: string) =>
    (await ask("/metrics")).text.split("\n").filter((line) => line.startsWith(name) && !line.endsWith(" 0"));
  const labels = (verb: string, scope: string, more = "") =>
    `component="apiserver",dry_run="${more}",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"`;

  test("count requests by verb, scope and code", async () => {
    await ask(maps, { method: "POST", value: { metadata: { name: "a" } } });
    await ask(maps, { method: "POST", value: { metadata: { name: "b" } }, query: [["dryRun", "All"]] });
    await ask(`${maps}/a`);
    await ask(`${maps}/missing`);
    await ask(maps);
    await ask("/api/v1/configmaps");
    await ask(maps, { method: "DELETE" });
    await ask("/livez");
    expect((await linesOf("apiserver_request_total")).toSorted()).toEqual(
      [
        `apiserver_request_total{code="201",${labels("POST", "resource")}} 1`,
        `apiserver_request_total{code="201",${labels("POST", "resource", "All")}} 1`,
        `apiserver_request_total{code="200",${labels("GET", "resource")}} 1`,
        `apiserver_request_total{code="404",${labels("GET", "resource")}} 1`,
        `apiserver_request_total{code="200",${labels("LIST", "namespace")}} 1`,
        `apiserver_request_total{code="200",${labels("LIST", "cluster")}} 1`,
        `apiserver_request_total{code="200",${labels("DELETE", "namespace")}} 1`,
        'apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""} 1',
      ].toSorted(),
    );
    expect(await linesOf("apiserver_current_inflight_requests")).toEqual([]);
  });

  test("say how long a request took, and a watch when it is over", async () => {
    const watch = await send(maps, { query: [["watch", "1"]] });
    expect(await linesOf("apiserver_longrunning_requests")).toHaveLength(1);
    expect(await linesOf("apiserver_request_duration_seconds_count")).toEqual([]);
    await watch[Symbol.asyncDispose]();
    expect(await linesOf("apiserver_longrunning_requests")).toEqual([]);
    expect(await linesOf("apiserver_request_duration_seconds_count")).toEqual([
      `apiserver_request_duration_seconds_count{${labels("WATCH", "namespace")}} 1`,
    ]);
  });

  test("have no series for what is not served", async () => {
    await ask("/apis/nonsense/v1/things");
    await ask("/api/v1/namespaces/default/things");
    await ask(`${maps}/a/nonsense`);
    expect(await linesOf("apiserver_request_total")).toEqual([]);
  });

  test("know how many objects there are", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    await ask(secrets, { method: "POST", value: { metadata: { name: "a" } } });
    await ask(secrets, { method: "POST", value: { metadata: { name: "b" } } });
    expect(await linesOf('apiserver_resource_objects{group="",resource="secrets"')).toEqual([
      'apiserver_resource_objects{group="",resource="secrets"} 2',
    ]);
    expect(await linesOf('apiserver_resource_objects{group="",resource="namespaces"')).toEqual([
      'apiserver_resource_objects{group="",resource="namespaces"} 4',
    ]);
  });
});
