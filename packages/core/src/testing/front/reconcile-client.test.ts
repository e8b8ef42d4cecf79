import { describe, expect, test } from "vitest";
import { configMaps, nodes, pods } from "../../api/generated/resources.ts";
import type { corev1 } from "../../api/index.ts";
import type { ReconcileClient, ReconcileContext } from "../../runtime/index.ts";
import type { Stage } from "../contract/stage.fixture.ts";
import { foos, freely, newConfigMap, newFoo, onFoos, onStage } from "./foo.fixture.ts";

const pod: corev1.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "p" },
  spec: { containers: [] },
};
const node: corev1.Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };

/** Runs `work` in one reconcile, and returns its result or its error. */
async function reconciled<R>(
  work: (context: ReconcileContext) => Promise<R>,
): Promise<{ readonly answer: R | undefined; readonly error: unknown; readonly stage: Stage<undefined> }> {
  let answer: R | undefined;
  let error: unknown;
  let isFirst = true;
  const controller = onFoos(async (_request, context) => {
    if (!isFirst) return;
    isFirst = false;
    try {
      answer = await work(context);
    } catch (thrown) {
      error = thrown;
    }
  }, freely);
  const stage = onStage(controller, {
    objects: [
      [foos, newFoo("a", { spec: { replicas: 1 } })],
      [configMaps, newConfigMap("old", { metadata: { labels: { app: "web" } } })],
      [configMaps, newConfigMap("other", { metadata: { namespace: "elsewhere" } })],
      [pods, pod],
      [nodes, node],
    ],
  });
  await using _ = stage;
  await stage.clock.advance(1000);
  return { answer, error, stage };
}

const merge = (body: object) => ({ type: "merge", body }) as const;

describe("each verb is the request it says", () => {
  const rows: readonly [
    fact: string,
    work: (client: ReconcileClient) => Promise<unknown>,
    written: readonly string[],
  ][] = [
    ["create", (client) => client.resource(configMaps).create(newConfigMap("x")), ["create configmaps shop/x "]],
    [
      "create in a namespace",
      (client) =>
        client
          .resource(configMaps)
          .in("shop")
          .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } }),
      ["create configmaps shop/x "],
    ],
    [
      "create with options",
      (client) =>
        client.resource(configMaps).create(newConfigMap("x"), { fieldManager: "me", fieldValidation: "Strict" }),
      ["create configmaps shop/x fieldManager=me&fieldValidation=Strict"],
    ],
    ["update", (client) => client.resource(configMaps).update(newConfigMap("old")), ["update configmaps shop/old "]],
    [
      "update of the status",
      (client) => client.resource(foos).updateStatus(newFoo("a", { status: { note: "x" } })),
      ["update foos/status shop/a "],
    ],
    [
      "patch, by key",
      (client) => client.resource(configMaps).patch("shop/old", merge({ data: { a: "1" } })),
      ["patch configmaps shop/old "],
    ],
    [
      "patch, by name",
      (client) =>
        client
          .resource(configMaps)
          .in("shop")
          .patch("old", merge({ data: { a: "1" } }), { dryRun: true }),
      ["patch configmaps shop/old dryRun=All"],
    ],
    [
      "patch of what lives in no namespace",
      (client) => client.resource(nodes).patch("n", { type: "json", operations: [] }),
      ["patch nodes n "],
    ],
    [
      "patch of the status",
      (client) => client.resource(foos).patchStatus("shop/a", merge({ status: { note: "x" } })),
      ["patch foos/status shop/a "],
    ],
    [
      "apply, in the controller's name and with force",
      (client) =>
        client.resource(configMaps).apply({ ...newConfigMap("x"), metadata: { namespace: "shop", name: "x" } }),
      ["patch configmaps shop/x fieldManager=foos&force=true"],
    ],
    [
      "apply, as it is told",
      (client) =>
        client
          .resource(configMaps)
          .in("shop")
          .apply(
            { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } },
            { fieldManager: "me", force: false },
          ),
      ["patch configmaps shop/x fieldManager=me&force=false"],
    ],
    [
      "apply to the status",
      (client) =>
        client.resource(foos).applyStatus({
          apiVersion: foos.apiVersion,
          kind: "Foo",
          metadata: { namespace: "shop", name: "a" },
          status: { note: "x" },
        }),
      ["patch foos/status shop/a fieldManager=foos&force=true"],
    ],
    [
      "delete",
      (client) => client.resource(configMaps).delete("shop/old", { propagationPolicy: "Foreground" }),
      ["delete configmaps shop/old "],
    ],
    [
      "delete of a collection",
      (client) => client.resource(configMaps).in("shop").deleteCollection({ labelSelector: "app=web" }),
      ["deletecollection configmaps labelSelector=app=web"],
    ],
    [
      "a subresource: eviction",
      (client) =>
        client
          .resource(pods)
          .in("shop")
          .subresource("eviction")
          .create("p", { apiVersion: "policy/v1", kind: "Eviction" }),
      ["create pods/eviction shop/p "],
    ],
    [
      "a subresource: patch",
      (client) =>
        client
          .resource(foos)
          .subresource("scale")
          .patch("shop/a", merge({ spec: { replicas: 2 } })),
      ["patch foos/scale shop/a "],
    ],
    [
      "a subresource: update, by name alone",
      (client) =>
        client
          .resource(foos)
          .in("shop")
          .subresource("scale")
          .update("a", { apiVersion: "autoscaling/v1", kind: "Scale" } as never),
      ["update foos/scale shop/a "],
    ],
    [
      "a subresource: apply",
      (client) =>
        client
          .resource(foos)
          .subresource("scale")
          .apply("shop/a", { spec: { replicas: 2 } }),
      ["patch foos/scale shop/a fieldManager=foos&force=true"],
    ],
  ];
  for (const [fact, work, written] of rows) {
    test(fact, async () => {
      const { error, stage } = await reconciled(({ client }) => work(client));
      expect(error).toBeUndefined();
      const lines = stage.server.written.map(
        ({ verb, place, key, query }) =>
          `${verb} ${place} ${[key, query].filter((part, i) => part !== "" || i === 1).join(" ")}`,
      );
      expect(lines).toEqual(written);
    });
  }

  test("preconditions go with a patch", async () => {
    const { error } = await reconciled(({ client }) =>
      client.resource(configMaps).patch("shop/old", merge({}), { preconditions: { uid: "another" } }),
    );
    expect(String(error)).toMatch("UID in precondition: another");
  });
});

describe("reads are live", () => {
  test("what is there, and what is not", async () => {
    const { answer } = await reconciled(async ({ client }) => [
      (await client.resource(pods).get("shop/p"))?.metadata.name,
      await client.resource(pods).get("shop/absent"),
      (await client.resource(nodes).get("n"))?.metadata.name,
      (await client.resource(configMaps).list()).items.length,
      (await client.resource(configMaps).in("shop").list({ labelSelector: "app=web" })).items.map(
        ({ metadata }) => metadata.name,
      ),
    ]);
    expect(answer).toEqual(["p", undefined, "n", 2, ["old"]]);
  });
});

describe("places that make no sense", () => {
  for (const [fact, work, message] of [
    [
      "a name without a namespace",
      (client: ReconcileClient) => client.resource(configMaps).delete("old"),
      'configmap "old" needs a namespace',
    ],
    [
      "an object of another namespace",
      (client: ReconcileClient) => client.resource(configMaps).in("elsewhere").create(newConfigMap("x")),
      'the object is in namespace "shop", this client in "elsewhere"',
    ],
  ] as const) {
    test(`${fact}: refused, nothing is sent`, async () => {
      const { error, stage } = await reconciled(({ client }) => work(client));
      expect(String(error)).toMatch(message);
      expect(stage.server.log).toEqual([]);
    });
  }
});
