import { describe, expect, test } from "vitest";
import { defineResource, type Resource, type ResourceDefinition } from "../../api/resource.ts";
import { allResources } from "../../api/resources.ts";
import { bytesResponse } from "../../api/transport.ts";
import { deferred, FakeClock, untilAborted } from "../../base/index.ts";
import { CachedDiscovery } from "./cached-discovery.ts";
import { Discovery } from "./discovery.ts";
import { FakeDiscoveryServer, type ServedGroup, toServedGroups } from "./fake-discovery-server.fixture.ts";
import { NoMatchError } from "./no-match-error.ts";
import type { ResourceQuery } from "./resource-index.ts";
import { RestMapper } from "./rest-mapper.ts";

const { signal } = new AbortController();
const builtIn = allResources().filter((one) => one.servedByDefault);
const custom = (given: Partial<ResourceDefinition>): Resource =>
  defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets", ...given });
const widgets = custom({ shortNames: ["wd"], categories: ["all", "toys"] });
const rivals = [
  // A later group with names that the built-in ones have too, and an abbreviation that is another's full name.
  custom({ group: "z.example.com", kind: "Pod", plural: "pods", shortNames: ["po"] }),
  custom({ group: "z.example.com", kind: "Gadget", plural: "gadgets", shortNames: ["widgets", "gd"] }),
  // Another resource of the same kind, and one whose preferred version lacks it.
  custom({ group: "z.example.com", version: "v1alpha1", kind: "Rarity", plural: "rarities", categories: ["toys"] }),
  custom({ version: "v1beta1" }),
];

function mapperFor(groups: readonly ServedGroup[]) {
  const clock = new FakeClock();
  const server = new FakeDiscoveryServer(groups);
  const cached = new CachedDiscovery(new Discovery(server.transport, { clock }), { clock });
  /** How often everything was read. */
  const reads = () => server.paths.filter((path) => path === "/apis").length;
  return { clock, server, cached, reads, mapper: new RestMapper(cached, { clock }) };
}
const { mapper: full } = mapperFor(toServedGroups([...builtIn, widgets, ...rivals]));
const print = (one: Resource) => `${one.apiVersion} ${one.plural}`;
const reasonOf = (error: unknown) => (error instanceof NoMatchError ? error.message : `not a NoMatchError: ${error}`);

describe("names", () => {
  for (const [asked, expected] of [
    ["po", "v1 pods"],
    ["pod", "v1 pods"],
    ["Pods", "v1 pods"],
    ["pods.v1", "v1 pods"],
    ["pods.v1.", "v1 pods"],
    ["pods.z.example.com", "z.example.com/v1 pods"],
    ["po.z.example.com", "z.example.com/v1 pods"],
    ["deploy", "apps/v1 deployments"],
    ["deployments.apps", "apps/v1 deployments"],
    ["deployments.v1.apps", "apps/v1 deployments"],
    ["Deployment.v1.apps", "apps/v1 deployments"],
    ["hpa", "autoscaling/v2 horizontalpodautoscalers"],
    ["hpa.v1.autoscaling", "autoscaling/v1 horizontalpodautoscalers"],
    ["events", "v1 events"],
    ["ev", "v1 events"],
    ["events.events.k8s.io", "events.k8s.io/v1 events"],
    ["wd", "example.com/v1 widgets"],
    ["widgets", "example.com/v1 widgets"],
    ["widget.v1beta1.example.com", "example.com/v1beta1 widgets"],
    ["widgets.z.example.com", "z.example.com/v1 gadgets"],
    ["rarities", "z.example.com/v1alpha1 rarities"],
    [{ resource: "pods" }, "v1 pods"],
    [{ group: "", version: "v1", resource: "pods" }, "v1 pods"],
    [{ group: "z.example.com", resource: "po" }, "z.example.com/v1 pods"],
    [{ version: "v1beta1", resource: "widgets" }, "example.com/v1beta1 widgets"],
    [{ group: "apps", version: "v1", resource: "deployments" }, "apps/v1 deployments"],
    ["", `no matches for resource ""`],
    ["constructor", `no matches for resource "constructor"`],
    ["pods.apps", `no matches for resource "pods.apps"`],
    ["pods.v2.", `no matches for resource "pods.v2."`],
    [{ group: "", resource: "deployments" }, `no matches for resource "deployments" in group ""`],
    [{ group: "apps", version: "v2", resource: "x" }, `no matches for resource "x" in group "apps", version "v2"`],
  ] as const satisfies readonly (readonly [string | ResourceQuery, string])[]) {
    test(`${JSON.stringify(asked)}: ${expected}`, async () => {
      expect(await full.resourceFor(asked, signal).then(print, reasonOf)).toBe(expected);
    });
  }

  test("all that a name may mean, the best first", async () => {
    expect((await full.resourcesFor("pods", signal)).map(print)).toEqual(["v1 pods", "z.example.com/v1 pods"]);
    expect((await full.resourcesFor("hpa", signal)).map(print)).toEqual([
      "autoscaling/v2 horizontalpodautoscalers",
      "autoscaling/v1 horizontalpodautoscalers",
    ]);
    await expect(full.resourcesFor("nothing", signal)).rejects.toThrow(NoMatchError);
  });

  test("the kind of what is named", async () => {
    expect(await full.kindFor("deploy", signal)).toEqual({ group: "apps", version: "v1", kind: "Deployment" });
  });
});

describe("kinds", () => {
  for (const [asked, expected] of [
    [{ group: "", version: "v1", kind: "Pod" }, "v1 pods"],
    [{ group: "", kind: "Pod" }, "v1 pods"],
    [{ group: "autoscaling", kind: "HorizontalPodAutoscaler" }, "autoscaling/v2 horizontalpodautoscalers"],
    [
      { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
      "autoscaling/v1 horizontalpodautoscalers",
    ],
    [{ group: "z.example.com", kind: "Rarity" }, "z.example.com/v1alpha1 rarities"],
    [{ group: "", kind: "pod" }, `no matches for kind "pod" in group ""`],
    [{ group: "autoscaling", version: "v1", kind: "Scale" }, `no matches for kind "Scale" in version "autoscaling/v1"`],
    [{ group: "apps", version: "v2", kind: "Deployment" }, `no matches for kind "Deployment" in version "apps/v2"`],
    [{ group: "", version: "v1", kind: "Deployment" }, `no matches for kind "Deployment" in version "v1"`],
  ] as const) {
    test(`${JSON.stringify(asked)}: ${expected}`, async () => {
      expect(await full.resourceForKind(asked, signal).then(print, reasonOf)).toBe(expected);
    });
  }

  test("the preferred version is the server's choice, whatever stands first", async () => {
    const { server, mapper } = mapperFor([]);
    const legacy = new FakeDiscoveryServer(toServedGroups([widgets, custom({ version: "v1beta1" })]), {
      form: "legacy",
    });
    server.intercept = (request, own) => {
      if (request.path !== "/apis") return legacy.transport(request, own);
      const versions = [{ version: "v1" }, { version: "v1beta1" }];
      const groups = [{ name: "example.com", versions, preferredVersion: { version: "v1beta1" } }];
      return Promise.resolve(bytesResponse(200, Buffer.from(JSON.stringify({ kind: "APIGroupList", groups }))));
    };
    expect(await mapper.resourceForKind({ group: "example.com", kind: "Widget" }, signal)).toMatchObject({
      version: "v1beta1",
    });
  });

  test("what only the built-in registry knows is not found", async () => {
    const { mapper } = mapperFor(toServedGroups([widgets]));
    await expect(mapper.resourceForKind({ group: "", version: "v1", kind: "Pod" }, signal)).rejects.toMatchObject({
      reason: "NoMatch",
      asked: { kind: { group: "", version: "v1", kind: "Pod" } },
    });
  });
});

describe("categories", () => {
  for (const [category, expected] of [
    ["toys", ["example.com/v1 widgets", "z.example.com/v1alpha1 rarities"]],
    [
      "all",
      [
        ...["v1 pods", "v1 replicationcontrollers", "v1 services", "apps/v1 daemonsets", "apps/v1 deployments"],
        ...["apps/v1 replicasets", "apps/v1 statefulsets", "autoscaling/v2 horizontalpodautoscalers"],
        ...["batch/v1 cronjobs", "batch/v1 jobs", "example.com/v1 widgets"],
      ],
    ],
    ["none", []],
  ] as const) {
    test(category, async () => {
      expect((await full.resourcesInCategory(category, signal)).map(print)).toEqual(expected);
    });
  }
});

describe("has", () => {
  test("exactly what is served", async () => {
    expect(await full.has(widgets, signal)).toBe(true);
    expect(await full.has(custom({ version: "v2" }), signal)).toBe(false);
    expect(await full.has(custom({ plural: "widget" }), signal)).toBe(false);
  });

  test("throws rather than say no when it could not look", async () => {
    const { mapper } = mapperFor([
      { name: "example.com", versions: [{ version: "v1", resources: [], isStale: true }] },
    ]);
    await expect(mapper.has(widgets, signal)).rejects.toMatchObject({ reason: "Stale" });
    expect(await mapper.has(custom({ version: "v2" }), signal)).toBe(false);
  });
});

describe("misses", () => {
  const kind = { group: "example.com", kind: "Widget" };

  test("a hit reads once", async () => {
    const { mapper, reads } = mapperFor(toServedGroups([widgets]));
    await mapper.resourceForKind(kind, signal);
    await mapper.resourceFor("wd", signal);
    expect(reads()).toBe(1);
  });

  test("a miss on what has just been read is final", async () => {
    const { mapper, reads } = mapperFor([]);
    await expect(mapper.resourceForKind(kind, signal)).rejects.toThrow(NoMatchError);
    expect(reads()).toBe(1);
  });

  test("a miss on what had begun to be read before is looked for again", async () => {
    const { mapper, server, cached, clock, reads } = mapperFor(toServedGroups(builtIn));
    const gate = deferred();
    const old = new FakeDiscoveryServer(server.groups);
    server.intercept = (request, own) => {
      if (request.path !== "/apis" || reads() > 1) return undefined;
      return old.transport(request, own).then((response) => gate.promise.then(() => response));
    };
    const other = cached.discover(signal);
    await clock.settle();
    server.groups = toServedGroups([...builtIn, widgets]);
    const found = mapper.resourceForKind(kind, signal);
    gate.resolve();
    expect(await found).toEqual(widgets);
    expect((await other).resources).not.toContainEqual(widgets);
  });

  for (const [what, ask] of [
    ["resourceForKind", (mapper: RestMapper) => mapper.resourceForKind(kind, signal)],
    ["resourceFor", (mapper: RestMapper) => mapper.resourceFor("wd", signal)],
    ["resourcesFor", async (mapper: RestMapper) => (await mapper.resourcesFor("widget", signal))[0]],
    ["resourcesInCategory", async (mapper: RestMapper) => (await mapper.resourcesInCategory("toys", signal))[0]],
    ["has", async (mapper: RestMapper) => ((await mapper.has(widgets, signal)) ? widgets : undefined)],
  ] as const) {
    test(`${what} finds what has appeared since, at the first try and without waiting`, async () => {
      const { mapper, server, reads } = mapperFor(toServedGroups(builtIn));
      await mapper.resourceFor("pods", signal);
      server.groups = toServedGroups([...builtIn, widgets]);
      expect(await ask(mapper)).toEqual(widgets);
      expect(reads()).toBe(2);
    });
  }

  test("cause one refresh in ten seconds, however many they are", async () => {
    const { mapper, clock, reads } = mapperFor(toServedGroups(builtIn));
    await mapper.resourceFor("pods", signal);
    for (let second = 0; second < 30; second++) {
      for (let again = 0; again < 5; again++) {
        await expect(mapper.resourceForKind(kind, signal)).rejects.toThrow(NoMatchError);
      }
      await clock.advance(1000);
    }
    expect(reads()).toBe(1 + 3);
    expect(clock.pending()).toEqual([]);
  });

  test("at the same time share a refresh, and all find", async () => {
    const { mapper, server, reads } = mapperFor(toServedGroups(builtIn));
    await mapper.resourceFor("pods", signal);
    server.groups = toServedGroups([widgets]);
    const found = await Promise.all([1, 2, 3].map(() => mapper.resourceForKind(kind, signal)));
    expect(found).toEqual([widgets, widgets, widgets]);
    expect(reads()).toBe(2);
  });

  test("one who gives up does not spoil the refresh for others", async () => {
    const { mapper, server, clock } = mapperFor(toServedGroups(builtIn));
    await mapper.resourceFor("pods", signal);
    server.groups = toServedGroups([widgets]);
    const controller = new AbortController();
    const impatient = mapper.resourceForKind(kind, controller.signal);
    const patient = mapper.resourceForKind(kind, signal);
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    await clock.settle();
    expect(await patient).toEqual(widgets);
  });

  test("a refresh that was given up on does not count", async () => {
    const { mapper, server, clock } = mapperFor(toServedGroups(builtIn));
    await mapper.resourceFor("pods", signal);
    server.intercept = (_, own) => untilAborted(new Promise<never>(() => {}), own);
    const controller = new AbortController();
    const impatient = mapper.resourceForKind(kind, controller.signal);
    await clock.settle();
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    server.intercept = () => undefined;
    server.groups = toServedGroups([widgets]);
    expect(await mapper.resourceForKind(kind, signal)).toEqual(widgets);
  });

  test("a refresh that fails is thrown, also while it is too early for another; what is known stays known", async () => {
    const { mapper, server, clock, reads } = mapperFor(toServedGroups(builtIn));
    await mapper.resourceFor("pods", signal);
    server.intercept = () => Promise.resolve(bytesResponse(503, Buffer.from("")));
    for (let again = 0; again < 3; again++) {
      await expect(mapper.resourceForKind(kind, signal)).rejects.toMatchObject({ reason: "ServiceUnavailable" });
    }
    expect(reads()).toBe(2);
    expect(await mapper.resourceFor("pods", signal)).toMatchObject({ kind: "Pod" });
    server.intercept = () => undefined;
    await clock.advance(10_000);
    await expect(mapper.resourceForKind(kind, signal)).rejects.toThrow(NoMatchError);
  });

  test("name the group-versions that might hold it and could not be read", async () => {
    const stale = (name: string, version: string): ServedGroup => ({
      name,
      versions: [{ version, resources: [], isStale: true }],
    });
    const { mapper } = mapperFor([stale("", "v1"), stale("example.com", "v1"), stale("other.example.com", "v2")]);
    const unread = async (work: Promise<unknown>) => {
      const error = await work.catch((thrown: unknown) => thrown);
      return error instanceof NoMatchError ? [...error.unread.keys()] : error;
    };
    expect(await unread(mapper.resourceForKind(kind, signal))).toEqual(["example.com/v1"]);
    expect(await unread(mapper.resourceForKind({ ...kind, version: "v2" }, signal))).toEqual([]);
    expect(await unread(mapper.resourceFor("wd", signal))).toEqual(["v1", "example.com/v1", "other.example.com/v2"]);
    expect(await unread(mapper.resourceFor("wd.example.com", signal))).toEqual(["example.com/v1"]);
    expect(await unread(mapper.resourceFor("wd.v1.example.com", signal))).toEqual(["example.com/v1"]);
    expect(await unread(mapper.resourceFor("pods.v1.", signal))).toEqual(["v1"]);
    expect(await unread(mapper.resourceFor("pods.v1", signal))).toEqual(["v1"]);
    expect(await unread(mapper.resourceFor({ resource: "wd", group: "" }, signal))).toEqual(["v1"]);
    await expect(mapper.resourceForKind(kind, signal)).rejects.toThrow(
      `no matches for kind "Widget" in group "example.com" (could not read example.com/v1)`,
    );
  });
});
