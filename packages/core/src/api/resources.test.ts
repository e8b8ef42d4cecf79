import { readFile } from "node:fs/promises";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, expectTypeOf, test } from "vitest";
import { deployments, eventsEvents, horizontalPodAutoscalers, pods } from "./generated/resources.ts";
import type { autoscalingv1, corev1, policyv1 } from "./generated/types/index.ts";
import { defineResource, type KubernetesObject, type ObjectOf, type Resource, type SubresourceOf } from "./resource.ts";
import {
  allResources,
  findResource,
  findResourceNamed,
  findResourceOfKind,
  findResourceOfObject,
  preferredVersion,
  resourcesInCategory,
} from "./resources.ts";
import { schemaNamed, schemaOfKind } from "./schema-table.ts";

interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string }[];
    }[];
  }[];
}

test("every resource of a default server's discovery is registered", async () => {
  const file = new URL("../../../../tools/generate/data/kubernetes-1.36-discovery.json.br", import.meta.url);
  const discovery = JSON.parse(brotliDecompressSync(await readFile(file)).toString()) as Record<string, DiscoveryList>;
  const places = Object.values(discovery).flatMap(({ items }) =>
    items.flatMap((group) =>
      group.versions.flatMap(({ version, resources }) =>
        resources.map(({ resource }) => ({ group: group.metadata.name ?? "", version, resource })),
      ),
    ),
  );
  expect(places.length).toBe(68);
  expect(places.filter((place) => findResource(place)?.servedByDefault !== true)).toEqual([]);
});

test("every registered kind has a schema, by name and by kind, and so has its list", () => {
  for (const one of allResources()) {
    const schema = schemaNamed(one.schemaName ?? "");
    expect(schema?.kinds, one.plural).toContain(`${one.apiVersion}/${one.kind}`);
    expect(schemaOfKind(one)).toBe(schema);
    if (one.listKind !== undefined)
      expect(schemaOfKind({ ...one, kind: one.listKind })?.fields.has("items")).toBe(true);
  }
});

test("a row is read whole", () => {
  expect(pods).toMatchObject({
    ...{ group: "", version: "v1", apiVersion: "v1", kind: "Pod", plural: "pods", singular: "pod", namespaced: true },
    ...{ shortNames: ["po"], categories: ["all"], listKind: "PodList", schemaName: "io.k8s.api.core.v1.Pod" },
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  });
  expect(pods.subresources.find((sub) => sub.name === "eviction")).toEqual({
    ...{ name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
  });
  expect(pods.subresources.find((sub) => sub.name === "status")).toEqual({
    ...{ name: "status", group: "", version: "v1", kind: "Pod", verbs: ["get", "patch", "update"] },
  });
});

for (const [typed, plural, apiVersion] of [
  ["po", "pods", "v1"],
  ["pod", "pods", "v1"],
  ["Pods", "pods", "v1"],
  ["deploy", "deployments", "apps/v1"],
  ["deployments.apps", "deployments", "apps/v1"],
  ["deployments.v1.apps", "deployments", "apps/v1"],
  ["hpa", "horizontalpodautoscalers", "autoscaling/v2"],
  ["hpa.v1.autoscaling", "horizontalpodautoscalers", "autoscaling/v1"],
  ["events", "events", "v1"],
  ["events.events.k8s.io", "events", "events.k8s.io/v1"],
  ["crds", "customresourcedefinitions", "apiextensions.k8s.io/v1"],
  ["pods.v1.", "pods", "v1"],
] as const) {
  test(`${typed} means ${plural} of ${apiVersion}`, () => {
    expect(findResourceNamed(typed)).toMatchObject({ plural, apiVersion });
  });
}

describe("lookups", () => {
  test("by kind and by object", () => {
    expect(findResourceOfKind({ group: "apps", version: "v1", kind: "Deployment" })).toBe(deployments);
    expect(findResourceOfObject({ apiVersion: "v1", kind: "Pod" })).toBe(pods);
    expect(findResourceOfObject({ apiVersion: "events.k8s.io/v1", kind: "Event" })).toBe(eventsEvents);
  });
  test("answer undefined for what is not there", () => {
    expect(findResource({ group: "", version: "v1", resource: "widgets" })).toBeUndefined();
    expect(findResourceOfKind({ group: "autoscaling", version: "v1", kind: "Scale" })).toBeUndefined();
    expect(findResourceNamed("widgets")).toBeUndefined();
    expect(findResourceNamed("pods.apps")).toBeUndefined();
    expect(findResourceNamed("__proto__")).toBeUndefined();
    expect(preferredVersion("example.com")).toBeUndefined();
  });
  test("a group's preferred version is the one discovery names first", () => {
    expect(preferredVersion("autoscaling")).toBe("v2");
    expect(preferredVersion("")).toBe("v1");
    expect(preferredVersion("resource.k8s.io")).toBe("v1");
  });
  test("a category has its members", () => {
    expect(resourcesInCategory("all").map((one) => one.plural)).toEqual([
      ...["pods", "replicationcontrollers", "services", "daemonsets", "deployments", "replicasets", "statefulsets"],
      ...["horizontalpodautoscalers", "horizontalpodautoscalers", "cronjobs", "jobs"],
    ]);
  });
});

describe("types", () => {
  interface Widget extends KubernetesObject {
    readonly spec: { readonly size: number };
  }
  const widgets = defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });

  test("a custom resource has a built-in's shape", () => {
    expect(widgets).toMatchObject({ apiVersion: "example.com/v1", singular: "widget", listKind: "WidgetList" });
    expect(Object.keys(widgets).sort()).toEqual(Object.keys(pods).sort());
    const scaled = defineResource<Widget>({ ...widgets, listKind: "Ws", subresources: ["status", "scale"] });
    expect(scaled.subresources.map((sub) => `${sub.group}/${sub.version} ${sub.kind}`)).toEqual([
      "example.com/v1 Widget",
      "autoscaling/v1 Scale",
    ]);
  });

  test("a resource knows the type of its objects", () => {
    expectTypeOf<ObjectOf<typeof pods>>().toEqualTypeOf<corev1.Pod>();
    expectTypeOf<ObjectOf<typeof widgets>>().toEqualTypeOf<Widget>();
    expectTypeOf<SubresourceOf<typeof deployments, "scale">>().toEqualTypeOf<autoscalingv1.Scale>();
    expectTypeOf<SubresourceOf<typeof pods, "eviction">>().toEqualTypeOf<policyv1.Eviction>();
    expectTypeOf(horizontalPodAutoscalers).toExtend<Resource>();
    expectTypeOf(deployments).not.toExtend<Resource<corev1.Pod>>();
  });

  test("kinds are literal, deep readonly, and their spec is there", () => {
    expectTypeOf<corev1.Pod["kind"]>().toEqualTypeOf<"Pod">();
    expectTypeOf<corev1.Pod["spec"]["containers"]>().toEqualTypeOf<readonly corev1.Container[]>();
    const pod: corev1.Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [] } };
    // @ts-expect-error what may come from a cache is readonly
    pod.metadata.name = "b";
    // @ts-expect-error all the way down
    pod.metadata.labels = {};
    expectTypeOf(pod).toExtend<KubernetesObject>();
  });
});
