// `ensure`, and `ensureObject` for rules, on a server that sets defaults. Also what the runtime reports about a controller that never stops
// writing.
import { describe, expect, test } from "vitest";
import { configMaps, deployments, secrets } from "../../api/generated/resources.ts";
import { type corev1, type metav1, newControllerReference } from "../../api/index.ts";
import type { LogFields } from "../../base/index.ts";
import { editObject, ensureObject, keyed, owned, plan, verbs } from "../../contract/index.ts";
import { type Edited, editorOf, ensure } from "../../runtime/index.ts";
import { newDeployment, stored } from "../builders/index.ts";
import { FakeCluster } from "../fake-cluster/index.ts";
import { type Foo, foos, metric, newConfigMap, newFoo, onFoos, onStage } from "./foo.fixture.ts";

const { signal } = new AbortController();
const metadata: metav1.ObjectMeta = { namespace: "shop", name: "web" };
const labels = { app: "web" };
const wanted = (image: string, more: { readonly replicas?: number | undefined; readonly paused?: boolean } = {}) => ({
  metadata,
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image, ports: [{ containerPort: 80 }] }] } },
    ...more,
  },
});

const onCluster = () => new FakeCluster({ resources: [foos, configMaps, deployments, secrets] });
type Work = (edit: <T>(work: Promise<Edited<T>>) => Promise<Edited<T>>, cluster: FakeCluster) => Promise<unknown>;

const rows: readonly [fact: string, work: Work, expected: unknown, writes: readonly string[]][] = [
  [
    "creates what is not there, with its kind",
    async (edit, { client }) => {
      const { result, object } = await edit(ensure(editorOf(client, signal), deployments, wanted("a:1")));
      return [result, object.kind, object.apiVersion];
    },
    ["created", "Deployment", "apps/v1"],
    ["create deployments shop/web"],
  ],
  [
    "writes nothing a second time, although the server has filled in much",
    async (edit, { client }) => {
      const editor = editorOf(client, signal);
      await edit(ensure(editor, deployments, wanted("a:1")));
      return (await edit(ensure(editor, deployments, wanted("a:1")))).result;
    },
    "unchanged",
    ["create deployments shop/web"],
  ],
  [
    "writes what differs, and keeps what was filled in",
    async (edit, { client }) => {
      const editor = editorOf(client, signal);
      await edit(ensure(editor, deployments, wanted("a:1", { paused: true })));
      const { result, object } = await edit(ensure(editor, deployments, wanted("a:2", { replicas: undefined })));
      const [container] = object.spec.template.spec?.containers ?? [];
      return [result, container?.image, container?.terminationMessagePolicy, object.spec.replicas, object.spec.paused];
    },
    ["updated", "a:2", "File", 1, true],
    ["create deployments shop/web", "patch deployments shop/web"],
  ],
  [
    "a null removes what stands there, and is not sent for what does not",
    async (edit, { client }) => {
      const editor = editorOf(client, signal);
      const named = (data: Readonly<Record<string, string | null>>) => ({ metadata, data });
      await edit(ensure(editor, configMaps, named({ a: "1", b: null }) as corev1.ConfigMap));
      const { object } = await edit(ensure(editor, configMaps, named({ a: null, c: "3" }) as corev1.ConfigMap));
      return object.data;
    },
    { c: "3" },
    ["create configmaps shop/web", "patch configmaps shop/web"],
  ],
  [
    "text of a Secret is compared with what is stored",
    async (edit, { client }) => {
      const editor = editorOf(client, signal);
      await edit(ensure(editor, secrets, { metadata, stringData: { password: "grün" } }));
      const { result, object } = await edit(ensure(editor, secrets, { metadata, stringData: { password: "grün" } }));
      return [result, object.data];
    },
    ["unchanged", { password: "Z3LDvG4=" }],
    ["create secrets shop/web"],
  ],
  [
    "the owner controls it",
    async (edit, cluster) => {
      const foo = cluster.create(foos, newFoo("f"));
      const editor = editorOf(cluster.client, signal);
      await edit(ensure(editor, deployments, wanted("a:1"), { owner: foo }));
      const { object } = await edit(ensure(editor, deployments, wanted("a:1"), { owner: foo }));
      return object.metadata.ownerReferences;
    },
    [expect.objectContaining({ kind: "Foo", name: "f", controller: true, blockOwnerDeletion: true })],
    ["create deployments shop/web"],
  ],
  [
    "another owner's object is refused",
    async (edit, cluster) => {
      const [one, other] = [cluster.create(foos, newFoo("f")), cluster.create(foos, newFoo("g"))];
      const editor = editorOf(cluster.client, signal);
      await edit(ensure(editor, deployments, wanted("a:1"), { owner: one }));
      return await edit(ensure(editor, deployments, wanted("a:1"), { owner: other })).catch(({ reason }) => reason);
    },
    "AlreadyOwned",
    ["create deployments shop/web"],
  ],
];

describe("ensure", () => {
  for (const [fact, work, expected, writes] of rows) {
    test(fact, async () => {
      await using cluster = onCluster();
      const result = await work((each) => cluster.clock.drive(each), cluster);
      expect(result).toEqual(expected);
      expect(cluster.writes).toEqual(writes);
      expect(cluster.repeatedWrites).toEqual([]);
    });
  }
});

describe("ensureObject", () => {
  const there = stored(newDeployment("shop/web", { spec: { replicas: 2 } }));
  for (const [fact, action, expected] of [
    ["of what is not there is a create", ensureObject(deployments, undefined, wanted("a")), { type: "create" }],
    ["of what is as wanted is nothing", ensureObject(deployments, there, { metadata, spec: there.spec }), undefined],
    [
      "of what differs is an edit of that, locked",
      ensureObject(deployments, there, { metadata, spec: { ...there.spec, replicas: 3 } }),
      { type: "edit", patch: { spec: { replicas: 3 } }, isLocked: true },
    ],
  ] as const) {
    test(fact, () => {
      if (expected === undefined) expect(action).toBeUndefined();
      else expect(action).toMatchObject(expected);
    });
  }

  test("of another object is a mistake", () => {
    expect(() => ensureObject(deployments, there, { ...wanted("a"), metadata: { name: "b" } })).toThrow(
      "another object",
    );
  });
});

describe("a controller that writes the same for ever", () => {
  const before = newConfigMap("a", { data: { color: "blue" } });
  const loop = async (controller: ReturnType<typeof onFoos>) => {
    const warnings: LogFields[] = [];
    const nobody = () => {};
    const note = (_: string, fields: LogFields = {}) => warnings.push(fields);
    const log = { debug: nobody, info: nobody, error: nobody, warn: note, with: () => log };
    await using stage = onStage(controller, {
      objects: [
        [foos, newFoo("a")],
        [configMaps, before],
      ],
      driver: { log },
    });
    for (let i = 0; i < 6; i++) {
      await stage.clock.advance(1000);
      stage.edit(configMaps, "shop/a", (map) => ({ ...map, data: { color: "blue" } }));
    }
    return [metric(stage, "kubeloop_repeated_writes_total"), warnings];
  };
  const told = [
    expect.objectContaining({ object: "shop/a", fields: ['data.color: sent "red"'], resource: "configmaps" }),
  ];
  const writes = [verbs(configMaps, "patch")];

  test("is told of and counted: a procedure", async () => {
    const controller = onFoos(
      async ({ key }, context) => {
        const map = context.reader.get(configMaps, key);
        if (map === undefined) return;
        await ensure(context, configMaps, { metadata: { namespace: "shop", name: "a" }, data: { color: "red" } });
        return { requeueAfterMs: 1000 };
      },
      { writes },
    );
    expect(await loop(controller)).toEqual([2, told]);
  });

  test("is told of and counted: rules", async () => {
    const controller = keyed<{ readonly foo: Foo; readonly map: corev1.ConfigMap }>({
      name: "foos",
      primary: foos,
      watches: [owned(configMaps)],
      writes,
      observe(key, { snapshot }) {
        const [foo, map] = [snapshot.get(foos, key), snapshot.get(configMaps, key)];
        return foo && map && { foo, map };
      },
      decide({ map }) {
        const edit = editObject(configMaps, map, { ...map, data: { color: "red" } });
        return plan("paint", edit === undefined ? [] : [[edit]], { requeueAfterMs: 1000 });
      },
    });
    expect(await loop(controller)).toEqual([2, told]);
  });
});

test("an owner reference of what is wanted is laid over by its uid", () => {
  const foo = stored(newFoo("f"));
  const other = { apiVersion: "v1", kind: "Node", name: "n", uid: "n" };
  const map = { ...newConfigMap("a"), metadata: { ...newConfigMap("a").metadata, ownerReferences: [other] } };
  const ownerReferences = [newControllerReference(foo)];
  const action = ensureObject(configMaps, map, { metadata: { ...newConfigMap("a").metadata, ownerReferences } });
  expect(action).toMatchObject({ patch: { metadata: { ownerReferences: [other, ...ownerReferences] } } });
});
