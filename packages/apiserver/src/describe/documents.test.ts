// What the server says about itself: discovery with tags, health by check, and what it counted.
import type { ApiResponse } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { type Asked, requestFor } from "../ask.fixture.ts";

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
  for (const [fact, path, query, code, text] of [
    ["is one word", "/livez", [], 200, "ok"],
    ["is a line per check for who asks", "/readyz", [["verbose", ""]], 200, "[+]ping ok\nreadyz check passed\n"],
    ["is asked of one check alone", "/healthz/ping", [], 200, "ok"],
    ["of a check nobody has is not found", "/healthz/nonsense", [], 404, "404 page not found\n"],
    [
      "leaves out what is not asked about",
      "/livez",
      [
        ["verbose", ""],
        ["exclude", "ping"],
      ],
      200,
      "[+]ping excluded: ok\nlivez check passed\n",
    ],
    [
      "says what could not be left out",
      "/livez",
      [
        ["verbose", ""],
        ["exclude", "etcd"],
      ],
      200,
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "etcd"\nlivez check passed\n',
    ],
  ] as const) {
    test(fact, async () => expect(await ask(path, { query })).toMatchObject({ code, text }));
  }
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
