import { readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineResource, type KubernetesObject, type Resource } from "../../api/resource.ts";
import { allResources } from "../../api/resources.ts";
import { isServiceUnavailable, retryAfterMs } from "../../api/status-error.ts";
import { bytesResponse, type Transport, TransportError, valueResponse } from "../../api/transport.ts";
import { type Deferred, deferred, FakeClock, untilAborted } from "../../base/index.ts";
import { StaleGroupVersionError } from "./discovered.ts";
import { Discovery } from "./discovery.ts";
import {
  FakeDiscoveryServer,
  type FakeDiscoveryServerOptions,
  type ServedGroup,
  toServedGroups,
} from "./fake-discovery-server.fixture.ts";

const { signal } = new AbortController();
const builtIn = allResources().filter((one) => one.servedByDefault);
const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
const widgetsBeta = defineResource({ group: "example.com", version: "v1beta1", kind: "Widget", plural: "widgets" });
const text = (value: unknown) => Buffer.from(JSON.stringify(value));

const forms: readonly (readonly [name: string, options: FakeDiscoveryServerOptions])[] = [
  ["aggregated, as bytes", { form: "aggregated", sends: "bytes" }],
  ["aggregated, as values", { form: "aggregated", sends: "values" }],
  ["legacy, as bytes", { form: "legacy", sends: "bytes" }],
  ["legacy, as values", { form: "legacy", sends: "values" }],
];

test("a real server's document gives exactly the registry's rows", async () => {
  const file = new URL("../../../../../tools/generate/data/kubernetes-1.36-discovery.json.br", import.meta.url);
  const recorded = JSON.parse(brotliDecompressSync(await readFile(file)).toString()) as Record<string, unknown>;
  const transport: Transport = async ({ path }) => bytesResponse(200, text(recorded[path.slice(1)]));
  const { groups, resources, failures } = await new Discovery(transport).discover(signal);
  expect(failures.size).toBe(0);
  expect(groups).toHaveLength(21);
  expect(groups.find((group) => group.name === "autoscaling")).toEqual({
    ...{ name: "autoscaling", versions: ["v2", "v1"], preferredVersion: "v2" },
  });
  expect(resources).toHaveLength(68);
  expect(resources).toEqual(builtIn);
});

describe.each(forms)("%s", (_, options) => {
  test("the registry comes back as it was", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn), options);
    const { groups, resources, failures } = await new Discovery(server.transport).discover(signal);
    expect(resources).toEqual(builtIn);
    expect(failures.size).toBe(0);
    expect(groups[0]).toEqual({ name: "", versions: ["v1"], preferredVersion: "v1" });
  });

  test("what is stale is a failure beside the rest, and not the preferred version", async () => {
    const groups: readonly ServedGroup[] = [
      {
        name: "example.com",
        versions: [
          { version: "v1", resources: [widgets], isStale: true },
          { version: "v1beta1", resources: [widgetsBeta] },
        ],
      },
      { name: "gone.example.com", versions: [{ version: "v1", resources: [], isStale: true }] },
    ];
    const server = new FakeDiscoveryServer(groups, options);
    const found = await new Discovery(server.transport).discover(signal);
    expect(found.resources).toEqual([widgetsBeta]);
    expect([...found.failures.keys()]).toEqual(["example.com/v1", "gone.example.com/v1"]);
    expect(found.groups).toEqual([
      { name: "example.com", versions: ["v1", "v1beta1"], preferredVersion: "v1beta1" },
      { name: "gone.example.com", versions: ["v1"], preferredVersion: "v1" },
    ]);
    expect(
      server.paths.filter((path) => path === "/apis"),
      "two attempts in all",
    ).toHaveLength(2);
  });

  test("the groups alone take two requests", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn), options);
    const groups = await new Discovery(server.transport).serverGroups(signal);
    expect(groups.map((group) => group.name)).toEqual([...new Set(builtIn.map((one) => one.group))]);
    expect(server.paths.toSorted()).toEqual(["/api", "/apis"]);
  });

  test("a server without a core group, and a group without versions", async () => {
    const server = new FakeDiscoveryServer([{ name: "empty.example.com", versions: [] }], options);
    const found = await new Discovery(server.transport).discover(signal);
    expect(found.groups).toEqual([{ name: "empty.example.com", versions: [], preferredVersion: undefined }]);
    expect(found.resources).toEqual([]);
  });
});

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const words = (most: number) => fc.uniqueArray(name, { maxLength: most });
const subresource = fc.record({
  name,
  group: fc.constantFrom("", "autoscaling", "example.com"),
  version: fc.constantFrom("v1", "v2"),
  kind: fc.constantFrom("Scale", "Eviction", ""),
  verbs: words(3),
});
const version = fc.record({
  version: fc.constantFrom("v1", "v2", "v1beta1", "v1alpha1"),
  resources: fc.uniqueArray(
    fc.record({
      ...{ plural: name, singular: name, kind: name, namespaced: fc.boolean(), shortNames: words(2) },
      ...{ categories: words(2), verbs: fc.subarray(["get", "list", "watch", "create"]) },
      subresources: fc.uniqueArray(subresource, { maxLength: 3, selector: (sub) => sub.name }),
    }),
    { maxLength: 4, selector: (one) => one.plural },
  ),
  isStale: fc.boolean(),
});
const registry = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom("", "example.com", "a.example.com", "b"),
    versions: fc.uniqueArray(version, { maxLength: 3, selector: (one) => one.version }),
  }),
  { maxLength: 4, selector: (group) => group.name },
);

test("both forms of the same registry give the same", async () => {
  await fc.assert(
    fc.asyncProperty(registry, async (drawn) => {
      const groups = drawn
        // A core group without versions cannot be told in the legacy form.
        .filter((group) => group.name !== "" || group.versions.length > 0)
        .toSorted((a, b) => Number(b.name === "") - Number(a.name === ""))
        .map(({ name, versions }) => ({
          name,
          versions: versions.map(({ version, resources, isStale }) => ({
            version,
            isStale,
            resources: resources.map((one): Resource => {
              const listKind = one.verbs.includes("list") ? `${one.kind}List` : undefined;
              const subresources = one.subresources.map((sub) =>
                // What names only half of a place cannot be told from what names none.
                sub.group === "" ? { ...sub, group: name, version } : sub,
              );
              return { ...defineResource<KubernetesObject>({ group: name, version, ...one, subresources }), listKind };
            }),
          })),
        }));
      const answers = await Promise.all(
        forms.map(([, options]) => new Discovery(new FakeDiscoveryServer(groups, options).transport).discover(signal)),
      );
      const served = groups.flatMap(({ versions }) => versions.filter((one) => !one.isStale));
      for (const found of answers) {
        expect(found.resources).toEqual(served.flatMap((one) => one.resources));
        expect(found.groups).toEqual(answers[0]?.groups);
        expect([...found.failures.keys()]).toEqual([...(answers[0]?.failures.keys() ?? [])]);
      }
    }),
    { numRuns: 150 },
  );
});

describe("requests", () => {
  test("the aggregated form is asked for first, then the older one, then the legacy one", async () => {
    const server = new FakeDiscoveryServer([]);
    await new Discovery(server.transport).discover(signal);
    expect(server.requests.map((request) => request.headers["accept"])[0]).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
    );
  });

  test("`form: legacy` never asks for the aggregated form", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn));
    const found = await new Discovery(server.transport, { form: "legacy" }).discover(signal);
    expect(found.resources).toEqual(builtIn);
    expect(new Set(server.requests.map((request) => request.headers["accept"]))).toEqual(new Set(["application/json"]));
    expect(server.paths).toContain("/apis/autoscaling/v1");
  });

  test("the two roots may speak different forms", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn));
    const legacy = new FakeDiscoveryServer(server.groups, { form: "legacy" });
    const transport: Transport = (request, own) => (request.path === "/apis" ? server : legacy).transport(request, own);
    expect((await new Discovery(transport).discover(signal)).resources).toEqual(builtIn);
    expect(legacy.paths.toSorted()).toEqual(["/api", "/api/v1"]);
  });

  test("group-versions are read a few at a time", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn), { form: "legacy" });
    const gates: Deferred<undefined>[] = [];
    let most = 0;
    server.intercept = ({ path }) => {
      if (path.split("/").length < 3 || path === "/api" || path === "/apis") return undefined;
      const gate = deferred<undefined>();
      gates.push(gate);
      most = Math.max(most, gates.length);
      return gate.promise as unknown as Promise<never>;
    };
    const clock = new FakeClock();
    const work = new Discovery(server.transport, { maxParallel: 3, clock }).discover(signal);
    for (let opened = 0; opened < 22; opened++) {
      await clock.settle();
      gates.shift()?.resolve(undefined);
    }
    expect((await work).resources).toEqual(builtIn);
    expect(most).toBe(3);
    expect(clock.pending(), "no timer left").toEqual([]);
  });

  test("unchanged roots are empty answers, and the very same value comes back", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn), { hasEtags: true });
    const discovery = new Discovery(server.transport);
    const first = await discovery.discover(signal);
    expect(await discovery.discover(signal)).toBe(first);
    expect(server.requests.map((request) => request.headers["if-none-match"] !== undefined)).toEqual([
      ...[false, false],
      ...[true, true],
    ]);
    server.groups = [...server.groups, ...toServedGroups([widgets])];
    const third = await discovery.discover(signal);
    expect(third.resources).toEqual([...builtIn, widgets]);
    expect(await discovery.discover(signal)).toBe(third);
  });

  test("without ETags nothing is claimed to be unchanged", async () => {
    const server = new FakeDiscoveryServer(toServedGroups(builtIn));
    const discovery = new Discovery(server.transport);
    const first = await discovery.discover(signal);
    expect(await discovery.discover(signal)).not.toBe(first);
    expect(server.requests.some((request) => "if-none-match" in request.headers)).toBe(false);
  });

  test("an unchanged legacy root does not vouch for its group-versions", async () => {
    const server = new FakeDiscoveryServer(toServedGroups([widgets]), { form: "legacy" });
    server.intercept = ({ path, headers }) => {
      if (path !== "/apis") return undefined;
      if ("if-none-match" in headers) return Promise.resolve(bytesResponse(304, new Uint8Array()));
      const document = { groups: [{ name: "example.com", versions: [{ version: "v1" }] }] };
      return Promise.resolve(bytesResponse(200, text(document), { etag: '"1"' }));
    };
    const discovery = new Discovery(server.transport);
    expect((await discovery.discover(signal)).resources).toEqual([widgets]);
    const gadgets = defineResource({ group: "example.com", version: "v1", kind: "Gadget", plural: "gadgets" });
    server.groups = toServedGroups([gadgets]);
    expect((await discovery.discover(signal)).resources).toEqual([gadgets]);
  });

  test("a server that stops sending ETags is no longer asked by them", async () => {
    const server = new FakeDiscoveryServer([], { hasEtags: true });
    const discovery = new Discovery(server.transport);
    await discovery.discover(signal);
    server.intercept = () => Promise.resolve(bytesResponse(200, text({ items: [] })));
    await discovery.discover(signal);
    await discovery.discover(signal);
    expect(server.requests.map((request) => "if-none-match" in request.headers)).toEqual([
      ...[false, false],
      ...[true, true],
      ...[false, false],
    ]);
  });

  test("a 304 nobody asked for is a failure", async () => {
    const transport: Transport = async () => bytesResponse(304, new Uint8Array());
    await expect(new Discovery(transport).discover(signal)).rejects.toThrow("status code 304");
  });

  test("the version", async () => {
    const transport: Transport = async ({ path }) => valueResponse(200, path === "/version" ? { minor: "36" } : {});
    expect(await new Discovery(transport).serverVersion(signal)).toMatchObject({ major: "", minor: "36" });
  });
});

describe("failures", () => {
  const served = toServedGroups([widgets, widgetsBeta]);
  const forbidden = { kind: "Status", apiVersion: "v1", reason: "Forbidden", message: "not for you", code: 403 };
  const unavailable = async () => bytesResponse(503, text("service unavailable"));

  test("the server's mark is told from other failures", async () => {
    const server = new FakeDiscoveryServer([
      { name: "metrics.k8s.io", versions: [{ version: "v1beta1", resources: [], isStale: true }] },
    ]);
    const { failures } = await new Discovery(server.transport).discover(signal);
    const failure = failures.get("metrics.k8s.io/v1beta1");
    expect(failure).toBeInstanceOf(StaleGroupVersionError);
    expect(failure).toMatchObject({ reason: "Stale", message: "stale GroupVersion discovery: metrics.k8s.io/v1beta1" });
  });

  for (const [fact, answer, said] of [
    ["a refusal", unavailable, "unable to handle the request"],
    [
      "no JSON",
      async () => bytesResponse(200, Buffer.from("<html>")),
      "the server's answer to GET /apis/example.com/v1 is not JSON",
    ],
    ["something else", async () => valueResponse(200, { kind: "PodList" }), "got PodList"],
    ["no answer", () => Promise.reject(new TransportError("reset", { reason: "Reset", wasSent: "maybe" })), "reset"],
    ["nothing that is an Error", () => Promise.reject("a text"), "thrown: a text"],
  ] as const) {
    test(`${fact} for one group-version leaves the others`, async () => {
      const server = new FakeDiscoveryServer(served, { form: "legacy" });
      server.intercept = ({ path }) => (path === "/apis/example.com/v1" ? answer() : undefined);
      const { resources, failures } = await new Discovery(server.transport).discover(signal);
      expect(resources).toEqual([widgetsBeta]);
      expect([...failures.keys()]).toEqual(["example.com/v1"]);
      expect(failures.get("example.com/v1")?.message).toContain(said);
      expect(server.paths.filter((path) => path === "/apis/example.com/v1")).toHaveLength(2);
    });
  }

  test("a group-version that fails once is read in the second attempt", async () => {
    const server = new FakeDiscoveryServer(served, { form: "legacy" });
    let failed = 0;
    server.intercept = ({ path }) => (path === "/apis/example.com/v1" && failed++ === 0 ? unavailable() : undefined);
    const { resources, failures } = await new Discovery(server.transport).discover(signal);
    expect(resources).toEqual([widgets, widgetsBeta]);
    expect(failures.size).toBe(0);
  });

  test("a group that goes while it is read is gone, not failed", async () => {
    const server = new FakeDiscoveryServer(served, { form: "legacy" });
    server.intercept = ({ path }) => {
      if (path === "/apis/example.com/v1") server.groups = [];
      return undefined;
    };
    expect(await new Discovery(server.transport).discover(signal)).toEqual({
      ...{ groups: [], resources: [], failures: new Map() },
    });
  });

  test("a first attempt with failures is better than a second without an answer", async () => {
    const server = new FakeDiscoveryServer(served, { form: "legacy" });
    let roots = 0;
    server.intercept = ({ path }) => {
      if (path === "/apis/example.com/v1" || (path === "/apis" && roots++ > 0)) return unavailable();
      return undefined;
    };
    const { resources, failures } = await new Discovery(server.transport).discover(signal);
    expect(resources).toEqual([widgetsBeta]);
    expect(failures.size).toBe(1);
  });

  test("a group-version that hangs fails when its time is up", async () => {
    const clock = new FakeClock();
    const server = new FakeDiscoveryServer(served, { form: "legacy" });
    server.intercept = ({ path }, own) =>
      path === "/apis/example.com/v1" ? untilAborted(new Promise<never>(() => {}), own) : undefined;
    const { resources, failures } = await clock.drive(
      new Discovery(server.transport, { clock, timeoutMs: 5000 }).discover(signal),
    );
    expect(resources).toEqual([widgetsBeta]);
    expect(failures.get("example.com/v1")).toMatchObject({
      ...{ reason: "Timeout", message: "GET /apis/example.com/v1 timed out after 5000 ms" },
    });
    expect(clock.monotonic()).toBe(10_000);
    expect(clock.pending()).toEqual([]);
  });

  for (const path of ["/api", "/apis"]) {
    test(`${path} must answer`, async () => {
      const server = new FakeDiscoveryServer(toServedGroups(builtIn));
      server.intercept = (request) => (request.path === path ? unavailable() : undefined);
      const error = await new Discovery(server.transport).discover(signal).catch((thrown: unknown) => thrown);
      expect(isServiceUnavailable(error)).toBe(true);
    });

    test(`a server without ${path} has the other one`, async () => {
      const server = new FakeDiscoveryServer(toServedGroups([...builtIn, widgets]));
      server.intercept = (request) =>
        request.path === path ? Promise.resolve(bytesResponse(404, text({}))) : undefined;
      const { groups, resources } = await new Discovery(server.transport).discover(signal);
      expect(groups.length).toBe(path === "/api" ? 21 : 1);
      expect(resources.length).toBeGreaterThan(0);
    });
  }

  test("404 for both is no API server", async () => {
    const transport: Transport = async () => bytesResponse(404, Buffer.from("404 page not found"));
    await expect(new Discovery(transport).discover(signal)).rejects.toMatchObject({ reason: "NotFound", code: 404 });
  });

  test("the server's own words are kept", async () => {
    for (const answer of [() => valueResponse(403, forbidden), () => bytesResponse(403, text(forbidden))]) {
      await expect(new Discovery(async () => answer()).discover(signal)).rejects.toMatchObject({
        ...{ reason: "Forbidden", message: "not for you" },
      });
    }
  });

  test("a Status without a code has the answer's", async () => {
    const { code: _, ...status } = forbidden;
    await expect(new Discovery(async () => valueResponse(403, status)).discover(signal)).rejects.toMatchObject({
      code: 403,
    });
  });

  for (const [retryAfter, expected] of [
    ["3", 3000],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ] as const) {
    test(`a proxy's Retry-After of ${retryAfter}`, async () => {
      const refuse: Transport = async () => bytesResponse(429, Buffer.from("slow"), { "retry-after": retryAfter });
      const error = await new Discovery(refuse).discover(signal).catch((thrown: unknown) => thrown);
      expect(retryAfterMs(error)).toBe(expected);
    });
  }
});

describe("odd servers", () => {
  test("a group and a version listed twice are one", async () => {
    const server = new FakeDiscoveryServer([
      ...toServedGroups([widgets]),
      { name: "example.com", versions: [{ version: "v1", resources: [] }] },
      ...toServedGroups([widgetsBeta]),
    ]);
    const { groups, resources } = await new Discovery(server.transport).discover(signal);
    expect(groups).toEqual([{ name: "example.com", versions: ["v1", "v1beta1"], preferredVersion: "v1" }]);
    expect(resources).toEqual([widgets, widgetsBeta]);
  });

  test("a legacy server's preferred version need not be its first, nor among its versions", async () => {
    const preferring = async (preferred: string) => {
      const server = new FakeDiscoveryServer(toServedGroups([widgets, widgetsBeta]), { form: "legacy" });
      server.intercept = ({ path }) => {
        if (path !== "/apis") return undefined;
        const versions = [{ version: "v1" }, { version: "v1beta1" }];
        const group = { name: "example.com", versions, preferredVersion: { version: preferred } };
        return Promise.resolve(valueResponse(200, { kind: "APIGroupList", groups: [group] }));
      };
      return (await new Discovery(server.transport).discover(signal)).groups[0]?.preferredVersion;
    };
    expect(await preferring("v1beta1")).toBe("v1beta1");
    expect(await preferring("v9")).toBe("v1");
  });

  test("names that need it are escaped in paths", async () => {
    const server = new FakeDiscoveryServer([{ name: "a b", versions: [{ version: "v1?x", resources: [] }] }], {
      form: "legacy",
    });
    await new Discovery(server.transport).discover(signal);
    expect(server.paths).toContain("/apis/a%20b/v1%3Fx");
  });
});

describe("giving up", () => {
  const reason = { why: "enough" };
  const hang = (own: AbortSignal) => untilAborted(new Promise<never>(() => {}), own);
  const breakOff = (own: AbortSignal) =>
    hang(own).catch(() => {
      throw new TransportError("the connection was closed", { reason: "Closed", wasSent: "maybe" });
    });
  for (const [fact, path, nth, answer] of [
    ["a root", "/apis", 1, hang],
    ["a root, over a transport that has words of its own", "/apis", 1, breakOff],
    ["a group-version", "/apis/example.com/v1", 1, hang],
    ["a group-version, over a transport that has words of its own", "/apis/example.com/v1", 1, breakOff],
    ["a root for the second time", "/apis", 2, hang],
    ["a group-version for the second time", "/apis/example.com/v1", 2, breakOff],
  ] as const) {
    test(`rejects with the signal's reason while it reads ${fact}`, async () => {
      const controller = new AbortController();
      const server = new FakeDiscoveryServer(toServedGroups([widgets]), { form: "legacy" });
      server.intercept = (request, own) => {
        const isLast = request.path === path && server.paths.filter((one) => one === path).length === nth;
        if (!isLast) return request.path === "/apis/example.com/v1" ? Promise.reject(new Error("down")) : undefined;
        controller.abort(reason);
        return answer(own);
      };
      await expect(new Discovery(server.transport).discover(controller.signal)).rejects.toBe(reason);
    });
  }

  test("asks nothing when given up before", async () => {
    const server = new FakeDiscoveryServer([]);
    await expect(new Discovery(server.transport).discover(AbortSignal.abort(new Error("enough")))).rejects.toThrow(
      "enough",
    );
    expect(server.paths).toEqual([]);
  });
});
