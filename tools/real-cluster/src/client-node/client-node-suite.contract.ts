// @kubernetes/client-node, the official client, as a foreign client: everything it is used for, against whichever server is given. Both
// the real server and the embedded one pass it, so what it expects is what a real server does.
import { PassThrough } from "node:stream";
import { deferred } from "@kubeloop/core/base";
import {
  ApiException,
  AppsV1Api,
  AuthenticationV1Api,
  CoreV1Api,
  Exec,
  Health,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  Metrics,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Deployment,
  type V1Pod,
  type V1Status,
  VersionApi,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

export interface ServerAccess extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

const namespace = "peer";

export function defineClientNodeSuite(title: string, open: () => Promise<ServerAccess>): void {
  describe(title, () => {
    let server: ServerAccess;
    let config: KubeConfig;
    let core: CoreV1Api;
    let apps: AppsV1Api;

    beforeAll(async () => {
      server = await open();
      config = configOf(server, server.token);
      core = config.makeApiClient(CoreV1Api);
      apps = config.makeApiClient(AppsV1Api);
      await core.createNamespace({ body: { metadata: { name: namespace } } });
    });
    afterAll(async () => await server?.[Symbol.asyncDispose]());

    const create = (name: string, more: V1ConfigMap = {}) =>
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name, ...more.metadata }, ...data(more) } });

    test("creates, reads, replaces and deletes", async () => {
      const created = await create("a", { data: { letter: "a" } });
      expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
      const read = await core.readNamespacedConfigMap({ namespace, name: "a" });
      expect(read).toEqual(created);
      const body = { ...read, data: { letter: "A" } };
      const replaced = await core.replaceNamespacedConfigMap({ namespace, name: "a", body });
      expect(replaced.data).toEqual({ letter: "A" });
      expect(replaced.metadata?.uid).toBe(read.metadata?.uid);
      const status = await core.deleteNamespacedConfigMap({ namespace, name: "a" });
      expect(status).toMatchObject({ status: "Success", details: { name: "a", kind: "configmaps" } });
    });

    test("makes names up", async () => {
      const body = { metadata: { generateName: "made-up-" } };
      const { metadata } = await core.createNamespacedSecret({ namespace, body });
      expect(metadata?.name).toMatch(/^made-up-[a-z0-9]{5}$/);
    });

    test("lists page by page", async () => {
      for (const name of ["p1", "p2", "p3", "p4", "p5"]) {
        await create(name, { metadata: { labels: { pages: "yes" } } });
      }
      const list = (more: object) => core.listNamespacedConfigMap({ namespace, labelSelector: "pages=yes", ...more });
      const names: unknown[] = [];
      const versions = new Set<unknown>();
      let page = await list({ limit: 2 });
      expect(page.metadata?.remainingItemCount).toBeUndefined(); // not counted where there is a selector
      for (;;) {
        expect(page.items.length).toBeLessThanOrEqual(2);
        names.push(...page.items.map(({ metadata }) => metadata?.name));
        versions.add(page.metadata?.resourceVersion);
        const _continue = page.metadata?._continue;
        if (_continue === undefined) break;
        page = await list({ limit: 2, _continue });
      }
      expect(names).toEqual(["p1", "p2", "p3", "p4", "p5"]);
      expect(versions.size).toBe(1);
      await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "pages=yes" });
      expect((await list({})).items).toEqual([]);
    });

    test("patches in three ways", async () => {
      await apps.createNamespacedDeployment({ namespace, body: deployment("patched") });
      const patch = async (strategy: PatchStrategy, body: unknown) => {
        const options = setHeaderOptions("Content-Type", strategy);
        const { spec } = await apps.patchNamespacedDeployment({ namespace, name: "patched", body }, options);
        return (spec?.template.spec?.containers ?? []).map(({ name, image }) => `${name} ${image}`);
      };
      const containers = [{ name: "side", image: "side:1" }];
      const inTemplate = { spec: { template: { spec: { containers } } } };
      expect(await patch(PatchStrategy.StrategicMergePatch, inTemplate)).toEqual(["side side:1", "web web:1"]);
      const path = "/spec/template/spec/containers/1/image";
      const operations = [
        { op: "test", path, value: "web:1" },
        { op: "replace", path, value: "web:2" },
      ];
      expect(await patch(PatchStrategy.JsonPatch, operations)).toEqual(["side side:1", "web web:2"]);
      expect(await patch(PatchStrategy.MergePatch, inTemplate)).toEqual(["side side:1"]);
      const refused = await refusal(patch(PatchStrategy.JsonPatch, operations));
      expect(refused).toMatchObject({ code: 422, reason: "Invalid" });
    });

    test("uses subresources", async () => {
      const name = "scaled";
      await apps.createNamespacedDeployment({ namespace, body: deployment(name) });
      const scale = await apps.readNamespacedDeploymentScale({ namespace, name });
      expect(scale.spec?.replicas).toBe(1);
      const body = { ...scale, spec: { replicas: 3 } };
      await apps.replaceNamespacedDeploymentScale({ namespace, name, body });
      const read = await apps.readNamespacedDeployment({ namespace, name });
      expect(read.spec?.replicas).toBe(3);
      expect(read.metadata?.generation).toBe(2);
      const status = { observedGeneration: 2, replicas: 3 };
      const done = await apps.replaceNamespacedDeploymentStatus({ namespace, name, body: { ...read, status } });
      expect(done.status).toMatchObject(status);
      expect(done.metadata?.generation).toBe(2);
    });

    test("tries without doing", async () => {
      await core.createNamespacedConfigMap({ namespace, dryRun: "All", body: { metadata: { name: "never" } } });
      const refused = await refusal(core.readNamespacedConfigMap({ namespace, name: "never" }));
      expect(refused).toMatchObject({ code: 404, reason: "NotFound", message: 'configmaps "never" not found' });
    });

    test("is told what is wrong", async () => {
      await create("taken");
      const stale = { metadata: { name: "taken", resourceVersion: "1" } };
      const invalid = { ...deployment("UPPER"), spec: { ...deployment("x").spec, replicas: -1 } } as V1Deployment;
      const told = {
        exists: await refusal(create("taken")),
        conflict: await refusal(core.replaceNamespacedConfigMap({ namespace, name: "taken", body: stale })),
        invalid: await refusal(apps.createNamespacedDeployment({ namespace, body: invalid })),
        unknown: await refusal(
          core.createNamespacedConfigMap({ namespace: "absent", body: { metadata: { name: "x" } } }),
        ),
        strict: await refusal(
          core.createNamespacedConfigMap({
            namespace,
            fieldValidation: "Strict",
            body: { metadata: { name: "x", labels: { "not a label": "x" } } },
          }),
        ),
      };
      expect(told.exists).toMatchObject({ code: 409, reason: "AlreadyExists" });
      expect(told.conflict).toMatchObject({ code: 409, reason: "Conflict" });
      expect(told.conflict.message).toContain("the object has been modified");
      expect(told.invalid).toMatchObject({
        code: 422,
        reason: "Invalid",
        details: { kind: "Deployment", name: "UPPER" },
      });
      expect(told.invalid.details?.causes?.map(({ field }) => field)).toEqual(["metadata.name", "spec.replicas"]);
      expect(told.unknown).toMatchObject({ code: 404, message: 'namespaces "absent" not found' });
      expect(told.strict).toMatchObject({ code: 422, details: { causes: [{ field: "metadata.labels" }] } });
    });

    test("watches", async () => {
      const { metadata } = await core.listNamespacedConfigMap({ namespace });
      const seen: string[] = [];
      const { promise: over, resolve: end } = deferred<unknown>();
      const abort = await new Watch(config).watch(
        `/api/v1/namespaces/${namespace}/configmaps`,
        { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true, fieldSelector: "metadata.name=w" },
        (phase, object: V1ConfigMap) => {
          if (phase === "BOOKMARK") return;
          seen.push(`${phase} ${object.metadata?.name} ${object.data?.["n"]}`);
          if (phase === "DELETED") abort.abort();
        },
        end,
      );
      await create("w", { data: { n: "1" } });
      await create("other");
      const body = { metadata: { name: "w" }, data: { n: "2" } };
      await core.replaceNamespacedConfigMap({ namespace, name: "w", body });
      await core.deleteNamespacedConfigMap({ namespace, name: "w" });
      await over;
      expect(seen).toEqual(["ADDED w 1", "MODIFIED w 2", "DELETED w 2"]);
    });

    test("is told when a watch ends by itself", async () => {
      const { promise: over, resolve: end } = deferred<unknown>();
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await new Watch(config).watch(path, { timeoutSeconds: 1 }, () => {}, end);
      expect(await over).toBeNull();
    });

    test("keeps an informer", async () => {
      const seen: string[] = [];
      const gone = deferred<void>();
      const labelSelector = "informed=yes";
      const named = (name: string, n: string): V1ConfigMap => ({
        metadata: { name, labels: { informed: "yes" } },
        data: { n },
      });
      await create("i1", named("i1", "1"));
      const informer = makeInformer(
        config,
        `/api/v1/namespaces/${namespace}/configmaps`,
        () => core.listNamespacedConfigMap({ namespace, labelSelector }),
        labelSelector,
      );
      informer.on("add", ({ metadata, data }) => seen.push(`add ${metadata?.name} ${data?.["n"]}`));
      informer.on("update", ({ metadata, data }) => seen.push(`update ${metadata?.name} ${data?.["n"]}`));
      informer.on("delete", ({ metadata }) => {
        seen.push(`delete ${metadata?.name}`);
        gone.resolve();
      });
      informer.on("error", (error) => gone.reject(error));
      await informer.start();
      await create("i2", named("i2", "1"));
      await core.replaceNamespacedConfigMap({ namespace, name: "i2", body: named("i2", "2") });
      // Out of the selector is as good as deleted.
      await core.replaceNamespacedConfigMap({ namespace, name: "i1", body: { metadata: { name: "i1" } } });
      await gone.promise;
      await informer.stop();
      expect(seen).toEqual(["add i1 1", "add i2 1", "update i2 2", "delete i1"]);
      expect(informer.list(namespace)?.map(({ metadata }) => metadata?.name)).toEqual(["i2"]);
    });

    test("works on objects of any kind", async () => {
      const objects = KubernetesObjectApi.makeApiClient(config);
      const job = {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "once", namespace },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
      };
      const created = await objects.create(job);
      expect(Object.keys(created)).toContain("status");
      const patched = await objects.patch({ ...job, metadata: { ...job.metadata, labels: { seen: "yes" } } });
      expect(patched.metadata?.labels).toMatchObject({ seen: "yes" });
      const { items } = await objects.list("batch/v1", "Job", namespace);
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(["once"]);
      await objects.delete(job);
    });

    test("deletes pods gracefully, and now", async () => {
      const remove = (name: string, gracePeriodSeconds?: number) =>
        core.deleteNamespacedPod({
          namespace,
          name,
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        });
      await core.createNamespacedPod({ namespace, body: pod("slow", { nodeName: "nowhere" }) });
      await remove("slow");
      const { metadata } = await core.readNamespacedPod({ namespace, name: "slow" });
      expect(metadata?.deletionTimestamp).toBeInstanceOf(Date);
      expect(metadata?.deletionGracePeriodSeconds).toBe(30);
      await remove("slow", 0);
      expect(await refusal(core.readNamespacedPod({ namespace, name: "slow" }))).toMatchObject({ code: 404 });
    });

    test("gets no logs where there is no node", async () => {
      await core.createNamespacedPod({ namespace, body: pod("waiting") });
      // A real server has no content, and so no type of it, which this client takes for a fault.
      const nothing = core.readNamespacedPodLog({ namespace, name: "waiting" });
      await expect(nothing).rejects.toThrow("No Content-Type defined");
      const wrong = await refusal(core.readNamespacedPodLog({ namespace, name: "waiting", container: "x" }));
      expect(wrong).toMatchObject({ code: 400, message: "container x is not valid for pod waiting" });
      await core.createNamespacedPod({ namespace, body: pod("lost", { nodeName: "nowhere" }) });
      const lost = await refusal(core.readNamespacedPodLog({ namespace, name: "lost" }));
      expect(lost).toMatchObject({ code: 404, reason: "NotFound", message: 'pods "nowhere" not found' });
      const followed = new Log(config).log(namespace, "lost", "c", new PassThrough(), { follow: true });
      expect(await refusal(followed)).toMatchObject({ code: 404 });
      const exec = new Exec(config).exec(namespace, "waiting", "c", ["ls"], null, null, null, false);
      await expect(exec).rejects.toBeDefined();
    });

    test("asks about the server", async () => {
      expect(await config.makeApiClient(VersionApi).getCode()).toMatchObject({ major: "1", minor: "36" });
      expect(await new Health(config).readyz({})).toBe(true);
      expect(await new Health(config).livez({})).toBe(true);
      // What answers for a path that nobody serves is not JSON; this client makes a 500 of it.
      expect(await refusal(new Metrics(config).getNodeMetrics())).toMatchObject({ code: 500 });
      const review = await config.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} });
      expect(review.status?.userInfo?.groups).toContain("system:masters");
    });

    test("is turned away with a wrong token, and may do little without one", async () => {
      const list = (token: string | undefined) =>
        refusal(configOf(server, token).makeApiClient(CoreV1Api).listNamespacedSecret({ namespace }));
      expect(await list("wrong")).toMatchObject({ code: 401 });
      expect(await list(undefined)).toMatchObject({
        code: 403,
        message: expect.stringContaining('User "system:anonymous" cannot list resource "secrets"'),
      });
    });
  });
}

function configOf({ url, caPem }: ServerAccess, token: string | undefined): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "k", server: url, caData: Buffer.from(caPem).toString("base64") }],
    users: [{ name: "k", ...(token === undefined ? {} : { token }) }],
    contexts: [{ name: "k", cluster: "k", user: "k" }],
    currentContext: "k",
  });
  return config;
}

const data = ({ data, binaryData }: V1ConfigMap): V1ConfigMap => ({
  ...(data === undefined ? {} : { data }),
  ...(binaryData === undefined ? {} : { binaryData }),
});

const pod = (name: string, more: { readonly nodeName?: string } = {}): V1Pod => ({
  metadata: { name },
  spec: { ...more, containers: [{ name: "c", image: "busybox" }] },
});

const deployment = (name: string): V1Deployment => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
});

/** The Status that came back instead of an answer. */
async function refusal(asked: Promise<unknown>): Promise<V1Status> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof ApiException) {
      const body: unknown = typeof error.body === "string" ? parsed(error.body) : error.body;
      return { code: error.code, ...(typeof body === "object" ? body : { message: String(body) }) };
    }
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Answers without a Status (`404 page not found`) stay the text they are. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
