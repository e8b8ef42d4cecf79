// Controllers with a reconcile function on a real kube-apiserver: how the server handles their patches, applies, preconditions and status writes.
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { customResourceDefinitions, deployments, namespaces } from "../../api/generated/resources.ts";
import {
  type apiextensionsv1,
  type appsv1,
  isConflict,
  type KubernetesObject,
  type Resource,
  setControllerReference,
} from "../../api/index.ts";
import { MetricsRegistry, systemClock } from "../../base/index.ts";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "../../client/index.ts";
import { SharedInformerFactory } from "../../informer/index.ts";
import {
  ControllerDriver,
  createOrPatch,
  createOrUpdate,
  defineController,
  editorOf,
  ensureFinalizer,
  releaseFinalizer,
  writeStatus,
} from "../../runtime/index.ts";
import { type Foo, foos, newFoo } from "./foo.fixture.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let client: Client;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, signal);
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  client = openClient(clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) }));
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, signal);
  await client.resource(customResourceDefinitions).create(fooDefinition(), signal);
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

function fooDefinition(): apiextensionsv1.CustomResourceDefinition {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // API groups that end in k8s.io need an annotation with their approval, or one that says they are not approved.
    metadata: {
      name: "foos.samplecontroller.k8s.io",
      annotations: { "api-approved.kubernetes.io": "unapproved, experimental-only" },
    },
    spec: {
      group: foos.group,
      scope: "Namespaced",
      names: { kind: "Foo", plural: "foos" },
      versions: [
        {
          name: foos.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } },
        },
      ],
    },
  };
}

function specOf(replicas: number): appsv1.DeploymentSpec {
  const labels = { app: "web" };
  return {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "c", image: "nginx", resources: { limits: { cpu: "1000m" } } }] },
    },
  };
}

/** Reads an object every 100 ms until the condition is true. */
async function until<T extends KubernetesObject>(
  resource: Resource<T>,
  name: string,
  isSo: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  for (let tries = 0; tries < 300; tries++) {
    const object = await editorOf(client, signal).readLive(resource, `shop/${name}`);
    if (isSo(object)) return object;
    await systemClock.sleep(100, signal);
  }
  throw new Error(`${resource.plural} ${name} does not get there`);
}

const finalizer = "samplecontroller.k8s.io/foo";

test("a foo gets its deployment, status and finalizer; what others do is put right; deleted, it is let go", async () => {
  const results: string[] = [];
  const controller = defineController<Foo>({
    name: "foo-controller",
    for: foos,
    owns: [deployments],
    async reconcile({ key }, context) {
      const cached = context.reader.get(foos, key);
      if (cached === undefined) return;
      if (cached.metadata.deletionTimestamp !== undefined)
        return await releaseFinalizer(context, foos, cached, finalizer);
      const foo = await ensureFinalizer(context, foos, cached, finalizer);
      const { result, object } = await createOrUpdate(context, deployments, key, (draft) => {
        draft.spec = specOf(foo.spec?.replicas ?? 1) as never;
        return setControllerReference(draft, foo);
      });
      results.push(result);
      await writeStatus(context, foos, foo, (draft) => {
        draft.status = { availableReplicas: object.spec?.replicas ?? 0 };
      });
    },
  });
  const informers = new SharedInformerFactory(client, { freeze: true });
  const metrics = new MetricsRegistry();
  const driver = new ControllerDriver(controller, { client, informers, metrics });
  const stop = new AbortController();
  const running = Promise.all([informers.run(stop.signal), driver.run(stop.signal)]);
  try {
    await until(foos, "web", () => driver.state === "working");
    await client.resource(foos).create(newFoo("web", { spec: { replicas: 2 } }), signal);
    const foo = await until(foos, "web", (object) => object?.status?.availableReplicas === 2);
    expect(foo?.metadata.finalizers).toEqual([finalizer]);
    const made = await until(deployments, "web", (object) => object !== undefined);
    expect(made?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Foo", name: "web", controller: true });
    // A second reconcile writes nothing, although the server has set defaults and prints "1000m" as "1".
    const before = results.length;
    driver.wake("shop/web");
    await until(foos, "web", () => results.length > before);
    expect(results.filter((result) => result !== "unchanged")).toEqual(["created"]);
    const still = await until(deployments, "web", () => true);
    expect(still?.metadata.resourceVersion).toBe(made?.metadata.resourceVersion);
    // Another client changes the deployment.
    const body = { spec: { replicas: 7 } };
    await client.resource(deployments).in("shop").patch("web", { type: "merge", body }, signal);
    await until(deployments, "web", (object) => object?.spec?.replicas === 2 && object.metadata.generation === 3);
    await client.resource(foos).in("shop").delete("web", signal);
    await until(foos, "web", (object) => object === undefined);
    expect(metrics.print()).toMatch(/controller_runtime_reconcile_panics_total\{controller="foo-controller"\} 0/);
  } finally {
    stop.abort();
    await running;
  }
});

test("an edit of what has changed, or was made anew, is a conflict", async () => {
  const editor = editorOf(client, signal);
  const all = client.resource(foos).in("shop");
  const first = await all.create(newFoo("edited", { spec: { replicas: 1 } }), signal);
  await all.patch("edited", { type: "merge", body: { spec: { deploymentName: "theirs" } } }, signal);
  const stale = { ...editor, read: async () => first as never };
  const editing = createOrUpdate(stale, foos, "shop/edited", (draft) => {
    draft.spec = { replicas: 9 };
  });
  await expect(editing).rejects.toSatisfy(isConflict);
  await all.delete("edited", signal);
  await all.create(newFoo("edited"), signal);
  await expect(ensureFinalizer(editor, foos, first, finalizer)).rejects.toSatisfy(isConflict);
  await expect(
    writeStatus(editor, foos, first, (draft) => {
      draft.status = { note: "x" };
    }),
  ).rejects.toSatisfy(isConflict);
  const patched = await createOrPatch(stale, foos, "shop/edited", (draft) => {
    draft.spec = { replicas: 9 };
    draft.status = { note: "mine" };
  });
  expect([patched.result, patched.object.spec, patched.object.status]).toEqual([
    "updatedStatus",
    { replicas: 9 },
    { note: "mine" },
  ]);
});

test("an apply is in the controller's name, takes over, and is read back at once", async () => {
  const seen: unknown[] = [];
  const controller = defineController<Foo>({
    name: "applier",
    for: foos,
    owns: [deployments],
    async reconcile({ name }, { client: own, reader }) {
      if (name !== "applied" || seen.length > 0) return;
      const metadata = { namespace: "shop", name };
      await own.resource(deployments).apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: specOf(4) });
      seen.push(reader.get(deployments, "shop/applied")?.spec?.replicas);
    },
  });
  const body = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "shop", name: "applied" },
    spec: specOf(1),
  } as const;
  await client.resource(deployments).in("shop").apply(body, { fieldManager: "somebody" }, signal);
  const informers = new SharedInformerFactory(client, { freeze: true });
  const driver = new ControllerDriver(controller, { client, informers });
  const stop = new AbortController();
  const running = Promise.all([informers.run(stop.signal), driver.run(stop.signal)]);
  try {
    await client.resource(foos).create(newFoo("applied"), signal);
    const applied = await until(deployments, "applied", (object) => object?.spec?.replicas === 4);
    const managers = applied?.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`);
    expect(managers).toEqual(expect.arrayContaining(["applier Apply", "somebody Apply"]));
    expect(seen).toEqual([4]);
  } finally {
    stop.abort();
    await running;
  }
});
