// The fake cluster behaves like a real server, and a failed test gets a message with the cause.
import { describe, expect, test } from "vitest";
import { configMaps, deployments } from "../../api/generated/resources.ts";
import {
  type apiextensionsv1,
  defineResource,
  type KubernetesObject,
  schemaOfCrd,
  setControllerReference,
} from "../../api/index.ts";
import { createOrUpdate, defineController, ensure, Manager } from "../../runtime/index.ts";
import { newConfigMap, newDeployment, newObject } from "../builders/index.ts";
import { FakeCluster } from "./fake-cluster.ts";

interface Site extends KubernetesObject {
  readonly spec?: { readonly replicas?: number; readonly tls?: { readonly port?: number } };
}
const siteCrd: apiextensionsv1.CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "sites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Site", plural: "sites" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  replicas: { type: "integer", default: 2 },
                  tls: { type: "object", properties: { port: { type: "integer", default: 443 } } },
                },
              },
            },
          },
        },
      },
    ],
  },
};
const definition = { group: "example.com", version: "v1", kind: "Site", plural: "sites" };
const sites = defineResource<Site>(definition);
const schema = schemaOfCrd(siteCrd);
const { signal } = new AbortController();

describe("defaults", () => {
  for (const [fact, options] of [
    ["of a definition that the cluster is given", { resources: [sites], crds: [siteCrd] }],
    [
      "of the schema that the resource is defined with",
      { resources: [defineResource<Site>({ ...definition, ...(schema && { schema }) })] },
    ],
  ] as const) {
    test(`${fact} are filled in, whoever writes`, async () => {
      await using cluster = new FakeCluster({
        ...options,
        objects: [[options.resources[0], newObject(sites, "shop/a", { spec: {} })]],
      });
      const all = cluster.client.resource(sites).in("shop");
      expect(cluster.get(sites, "shop/a")?.spec).toEqual({ replicas: 2 });
      const [resource] = options.resources;
      expect(cluster.create(resource, newObject(sites, "shop/b", { spec: { tls: {} } })).spec).toEqual({
        replicas: 2,
        tls: { port: 443 },
      });
      const made = await cluster.clock.drive(all.create(newObject(sites, "shop/c", { spec: { replicas: 5 } }), signal));
      expect(made.spec).toEqual({ replicas: 5 });
      const patch = { type: "merge", body: { spec: { replicas: null, tls: {} } } } as const;
      const patched = await cluster.clock.drive(all.patch("c", patch, signal));
      expect(patched.spec).toEqual({ replicas: 2, tls: { port: 443 } });
      expect(patched.metadata.generation).toBe(2);
    });
  }

  test("of a built-in kind are filled in", async () => {
    await using cluster = new FakeCluster({ resources: [deployments] });
    const { spec } = cluster.create(deployments, newDeployment("shop/web"));
    expect(spec.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } });
    expect(spec.template.spec?.containers[0]?.terminationMessagePath).toBe("/dev/termination-log");
  });
});

describe("deletion", () => {
  const held = newConfigMap("shop/a", { metadata: { finalizers: ["example.com/hold"] } });

  test("waits for the last finalizer", async () => {
    await using cluster = new FakeCluster({ resources: [configMaps], objects: [[configMaps, held]] });
    cluster.delete(configMaps, "shop/a");
    expect(cluster.get(configMaps, "shop/a")?.metadata.deletionTimestamp).toBe("2030-01-01T00:00:00Z");
    cluster.edit(configMaps, "shop/a", (map) => ({ ...map, metadata: { ...map.metadata, finalizers: [] } }));
    expect(cluster.get(configMaps, "shop/a")).toBeUndefined();
    expect(() => cluster.delete(configMaps, "shop/a")).toThrow("not found");
  });

  test("can be forced", async () => {
    await using cluster = new FakeCluster({ resources: [configMaps], objects: [[configMaps, held]] });
    cluster.forceDelete(configMaps, "shop/a");
    expect(cluster.get(configMaps, "shop/a")).toBeUndefined();
  });

  test("without finalizers is at once", async () => {
    await using cluster = new FakeCluster({
      resources: [configMaps],
      objects: [[configMaps, newConfigMap("shop/a")]],
    });
    cluster.delete(configMaps, "shop/a");
    expect(cluster.get(configMaps, "shop/a")).toBeUndefined();
  });
});

describe("what a test is told", () => {
  const wanted = (name: string) => newDeployment(`shop/${name}`);
  const onSites = (reconcile: Parameters<typeof defineController<Site>>[0]["reconcile"]) => {
    const cluster = new FakeCluster({ resources: [sites, deployments] });
    const manager = new Manager({ ...cluster.parts, events: "none" });
    manager.addController(defineController<Site>({ name: "sites", for: sites, owns: [deployments], reconcile }));
    cluster.run((each) => manager.run(each));
    cluster.create(sites, newObject(sites, "shop/a"));
    return cluster;
  };

  test("a change that removes what the server fills in is a write without effect", async () => {
    await using cluster = onSites(async ({ key, name }, context) => {
      const site = context.reader.get(sites, key);
      if (site === undefined) return;
      await createOrUpdate(context, deployments, key, (draft) =>
        setControllerReference({ ...draft, ...wanted(name), metadata: draft.metadata }, site),
      );
    });
    await cluster.eventually(() => cluster.get(deployments, "shop/a"));
    cluster.edit(sites, "shop/a", (site) => ({ ...site, spec: { replicas: 9 } }));
    await cluster.clock.advance(1000);
    expect(cluster.repeatedWrites).toHaveLength(1);
    expect(cluster.repeatedWrites[0]).toMatch(
      /^patch deployments shop\/a: .*containers\[0\]\.imagePullPolicy: sent nothing, the server has "IfNotPresent"/,
    );
    await expect(cluster.eventually(() => false, { withinMs: 10 })).rejects.toThrow("Written without effect:\n  patch");
  });

  test("ensure makes none", async () => {
    await using cluster = onSites(async ({ key, name }, context) => {
      const site = context.reader.get(sites, key);
      if (site !== undefined) await ensure(context, deployments, wanted(name), { owner: site });
    });
    await cluster.eventually(() => cluster.get(deployments, "shop/a"));
    cluster.edit(sites, "shop/a", (site) => ({ ...site, spec: { replicas: 9 } }));
    await cluster.clock.advance(1000);
    expect(cluster.repeatedWrites).toEqual([]);
    expect(cluster.writes).toEqual(["create deployments shop/a"]);
  });

  test("what failed last, with controller, key, message and stack", async () => {
    await using cluster = onSites(async () => {
      throw new Error("no such host");
    });
    const complaint = await cluster
      .eventually(() => cluster.get(deployments, "shop/a"), { withinMs: 100 })
      .catch((error: Error) => error.message);
    expect(complaint).toMatch(
      /last seen: undefined\nWhat failed last:\n {2}sites shop\/a: reconcile failed \(\d tries\)/,
    );
    expect(complaint).toMatch(/Error: no such host\n.*server-likeness\.test\.ts/);
  });
});
