// A real server: its CRDs give the same code as their files do, and factories of every sort follow objects of a kind that it
// has just learnt.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type apiextensionsv1, defineResource, isNotFound, type KubernetesObject, keyOf } from "@kubeloop/core/api";
import { Cleanup, type Clock, systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import {
  DynamicSharedInformerFactory,
  MetadataSharedInformerFactory,
  type ResourceInformer,
  SharedInformerFactory,
} from "@kubeloop/core/informer";
import { customResourceDefinitions, namespaces } from "@kubeloop/core/resources";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateCommand } from "./generate-command.ts";
import { nodeWorld } from "./world.ts";

const crd: apiextensionsv1.CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", shortNames: ["wi"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            description: "A thing\nwith two lines.",
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer" },
                  zone: { type: "string", enum: ["b", "a"], default: "a" },
                  alias: { type: "string", nullable: true },
                  port: { "x-kubernetes-int-or-string": true },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number; readonly zone?: string };
}
const widgets = defineResource<Widget>({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
const widget = (name: string, size: number): Widget => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { namespace: "default", name },
  spec: { size },
});

const cleanup = new Cleanup();
const clock: Clock = systemClock;
const { signal } = new AbortController();
let folder: string;
let client: Client;

/** Asks again until it is so. */
async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await clock.sleep(20, signal);
}

beforeAll(async () => {
  const cluster = cleanup.use(await RealCluster.start({}, signal));
  folder = await mkdtemp(join(tmpdir(), "kubeloop-live-"));
  cleanup.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig("admin", { token: cluster.adminToken }));
  client = cleanup.use(openClient(await loadClusterConfig({ path: join(folder, "kubeconfig") }, signal)));
  await client.resource(customResourceDefinitions).create(crd, signal);
  await eventually(async () => {
    try {
      await client.resource(widgets).in("default").create(widget("first", 1), signal);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  });
});
afterAll(() => cleanup[Symbol.asyncDispose]());

test("a CRD from the server gives the same code as its file", async () => {
  await writeFile(join(folder, "crd.json"), JSON.stringify(crd));
  const generate = async (out: string, ...args: string[]) => {
    await generateCommand([...args, "--out", join(folder, out)], nodeWorld, signal);
    return await readFile(join(folder, out, "example.com/v1/widget.ts"), "utf8");
  };
  const fromFile = await generate("file", "--crd", join(folder, "crd.json"));
  const kubeconfig = join(folder, "kubeconfig");
  const fromServer = await generate("server", "--crd-name", "widgets.example.com", "--kubeconfig", kubeconfig);
  expect(fromServer).toBe(fromFile);
  expect(fromServer).toContain('readonly zone?: "b" | "a";');
});

test("a CRD that the server does not have is one sentence", async () => {
  const args = ["--crd-name", "gone.example.com", "--kubeconfig", join(folder, "kubeconfig")];
  await expect(generateCommand(args, nodeWorld, signal)).rejects.toThrow(
    'the server has no CustomResourceDefinition "gone.example.com"',
  );
});

describe("widgets are followed", () => {
  const place = { group: "example.com", version: "v1", resource: "widgets" };
  for (const [fact, kind, open] of [
    ["by a resource", "Widget", () => new SharedInformerFactory(client)],
    ["by their place alone", "Widget", () => new DynamicSharedInformerFactory(client)],
    ["by their metadata", "PartialObjectMetadata", () => new MetadataSharedInformerFactory(client)],
  ] as const) {
    test(fact, async () => {
      await using factory = open();
      const view =
        factory instanceof SharedInformerFactory
          ? (factory.of(widgets) as unknown as ResourceInformer<KubernetesObject>)
          : (factory.forResource(place) as unknown as ResourceInformer<KubernetesObject>);
      const { informer, lister } = view;
      const heard: string[] = [];
      informer.addEventHandler({
        onAdd: (object) => void heard.push(`add ${keyOf(object)}`),
        onUpdate: (_before, after) => void heard.push(`update ${keyOf(after)}`),
        onDelete: () => void heard.push("delete"),
      });
      factory.start(signal);
      await factory.waitForCacheSync(signal);
      expect(
        lister
          .namespace("default")
          .list()
          .map(({ kind: seen }) => seen),
      ).toEqual([kind]);
      const widgetsInDefault = client.resource(widgets).in("default");
      await widgetsInDefault.create(widget("second", 2), signal);
      await widgetsInDefault.patch("second", { type: "merge", body: { spec: { size: 3 } } }, signal);
      await widgetsInDefault.delete("second", signal);
      await eventually(() => heard.length >= 4);
      expect(heard).toEqual(["add default/first", "add default/second", "update default/second", "delete"]);
    });
  }
});

test("built-in kinds are followed by name, and an acquired one ends alone", async () => {
  await using factory = new SharedInformerFactory(client);
  const own = new AbortController();
  const running = factory.run(own.signal);
  const acquired = factory.acquire(namespaces);
  const { lister } = factory.core.v1.configMaps;
  await factory.waitForCacheSync(signal);
  expect(acquired.lister.get("default")?.kind).toBe("Namespace");
  expect(lister.namespace("kube-system").list().length).toBeGreaterThan(0);
  await acquired[Symbol.asyncDispose]();
  expect(factory.statuses.map(({ name, phase }) => [name, phase])).toEqual([["configmaps", "watching"]]);
  own.abort();
  await running;
});
