import { describe, expect, test } from "vitest";
import { configMaps, namespaces, pods, secrets } from "../../api/generated/resources.ts";
import {
  type corev1,
  defineResource,
  type KubernetesObject,
  type metav1,
  printTime,
  withFaults,
} from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import { actionsOf, discover, liveGet, liveList, nothing, Outcome, printAction } from "../../contract/index.ts";
import { Answers, answered, unanswered } from "../rules.ts";
import { decide, namespaceController, report } from "./namespace.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const widgets = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
});
const resources = [namespaces, pods, configMaps, secrets, widgets];

function namespace(more: Partial<corev1.Namespace> = {}): corev1.Namespace {
  const metadata = { name: "shop", uid: "u", deletionTimestamp: "2030-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers: ["kubernetes"] }, ...more };
}
function item(kind: string, name: string, metadata: metav1.ObjectMeta = {}): KubernetesObject {
  const apiVersion = kind === "Widget" ? "example.com/v1" : "v1";
  return { apiVersion, kind, metadata: { namespace: "shop", name, ...metadata } };
}

/** Creates a namespace with content and deletes the namespace. */
async function deletedNamespace(content: readonly KubernetesObject[], options: Partial<StageOptions> = {}) {
  const stage = new Stage(namespaceController, { resources, ...options });
  stage.server.server.create(namespaces, { ...namespace(), metadata: { name: "shop" } });
  for (const object of content) {
    const resource = resources.find(({ kind }) => kind === object.kind);
    if (resource !== undefined) stage.server.server.create<KubernetesObject>(resource, object);
  }
  await stage.clock.advance(1000);
  const deletionTimestamp = printTime(stage.clock.now());
  stage.edit(namespaces, "shop", (object) => ({ ...object, metadata: { ...object.metadata, deletionTimestamp } }));
  return stage;
}
const conditionsOf = (stage: Stage<undefined>) =>
  Object.fromEntries(
    (stage.get(namespaces, "shop")?.status?.conditions ?? []).map(({ type, status, reason }) => [
      type,
      `${status} ${reason}`,
    ]),
  );

describe("run by the driver", () => {
  test("nothing happens for five seconds, then an empty namespace is let go", async () => {
    await using stage = await deletedNamespace([]);
    await stage.clock.advance(4900);
    expect(stage.server.log).toEqual([]);
    await stage.clock.advance(200);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
    const [phase, conditions, finalize, ...more] = stage.server.log;
    expect([phase, conditions]).toEqual(["update namespaces/status shop", "update namespaces/status shop"]);
    expect([finalize, ...more]).toEqual(["update namespaces/finalize shop"]);
  });

  test("a namespace that is not deleted is left alone", async () => {
    await using stage = new Stage(namespaceController, {
      resources,
      objects: [[namespaces, { ...namespace(), metadata: { name: "shop" } }]],
    });
    await stage.clock.advance(60_000);
    expect(stage.server.log).toEqual([]);
  });

  test("content goes by collection, and one by one where there is no such verb", async () => {
    await using stage = await deletedNamespace([item("ConfigMap", "a"), item("Secret", "b"), item("Widget", "w")]);
    await stage.clock.advance(10_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
    expect(stage.server.log.filter((line) => line.startsWith("delete")).toSorted()).toEqual([
      "delete widgets shop/w",
      "deletecollection configmaps",
      "deletecollection secrets",
    ]);
  });

  test("pods go first; while one stays, nothing else is touched", async () => {
    const held = item("Pod", "p", { finalizers: ["x/y"] });
    await using stage = await deletedNamespace([held, item("ConfigMap", "a")]);
    await stage.clock.advance(60_000);
    expect(stage.list(configMaps)).toHaveLength(1);
    expect(stage.server.log).not.toContain("deletecollection configmaps");
    stage.server.server.delete(pods, "shop/p");
    await stage.clock.advance(20_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
  });

  test("what finalizers hold is said, and looked at again every eight seconds", async () => {
    await using stage = await deletedNamespace([item("ConfigMap", "a", { finalizers: ["x/y"] })]);
    await stage.clock.advance(6000);
    const looks = () =>
      stage.server.server.requests.filter(({ verb, path }) => verb === "list" && path.endsWith("shop/secrets")).length;
    const before = looks();
    await stage.clock.advance(80_000);
    expect(looks() - before).toBe(10);
    expect(conditionsOf(stage)).toMatchObject({
      NamespaceContentRemaining: "True SomeResourcesRemain",
      NamespaceFinalizersRemaining: "True SomeFinalizersRemain",
      NamespaceDeletionContentFailure: "False ContentDeleted",
    });
  });

  test("a group that cannot be read keeps the namespace, and is said", async () => {
    await using stage = await deletedNamespace([]);
    stage.server.failingGroups.add("example.com");
    await stage.clock.advance(30_000);
    expect(stage.get(namespaces, "shop")?.spec?.finalizers).toEqual(["kubernetes"]);
    expect(conditionsOf(stage)["NamespaceDeletionDiscoveryFailure"]).toBe("True DiscoveryFailed");
    stage.server.failingGroups.clear();
    await stage.clock.advance(120_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
  });

  test("a delete that fails is said, and tried again", async () => {
    let isRefused = true;
    await using stage = await deletedNamespace([item("ConfigMap", "a")], {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "refused", fault: { kind: "status", code: 403 }, match: { verbs: ["deletecollection"] } }],
          { clock, random: seededRandom(1), isActive: () => isRefused },
        ),
    });
    await stage.clock.advance(10_000);
    expect(conditionsOf(stage)["NamespaceDeletionContentFailure"]).toBe("True ContentDeletionFailed");
    isRefused = false;
    await stage.clock.advance(120_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
  });

  test("other finalizers of the namespace stay", async () => {
    await using stage = new Stage(namespaceController, { resources });
    const spec = { finalizers: ["kubernetes", "example.com/mine"] };
    const metadata = { name: "shop", deletionTimestamp: "2030-01-01T00:00:00Z" };
    stage.server.server.create(namespaces, { ...namespace(), metadata, spec });
    await stage.clock.advance(60_000);
    expect(stage.get(namespaces, "shop")?.spec?.finalizers).toEqual(["example.com/mine"]);
    expect(stage.server.log.filter((line) => line === "update namespaces/finalize shop")).toHaveLength(1);
  });

  test("the answer to the last step may be lost", async () => {
    await using stage = await deletedNamespace([], {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [{ name: "lost", fault: { kind: "reset", when: "after" }, match: { verbs: ["update"] }, nth: [1] }],
          {
            clock,
            random: seededRandom(1),
          },
        ),
    });
    await stage.clock.advance(120_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
    expect(stage.server.log.filter((line) => line.startsWith("update namespaces/finalize"))).toHaveLength(1);
  });

  test("content that comes while it goes is found, too", async () => {
    await using stage = await deletedNamespace([item("ConfigMap", "a", { finalizers: ["x/y"] })]);
    await stage.clock.advance(6000);
    stage.server.server.create<KubernetesObject>(secrets, item("Secret", "late"));
    stage.edit(configMaps, "shop/a", ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [] },
    }));
    stage.server.server.delete(configMaps, "shop/a");
    await stage.clock.advance(20_000);
    expect(stage.get(namespaces, "shop")).toBeUndefined();
    expect(stage.list(secrets)).toEqual([]);
  });
});

describe("decided", () => {
  const seen = { name: "shop" };
  const served = {
    groups: [{ name: "", preferredVersion: "v1" }],
    resources: [namespaces, pods, configMaps],
    failures: new Map<string, Error>(),
  };
  const list = (...items: readonly KubernetesObject[]) =>
    answered({
      items: items.map(({ metadata }) => ({
        apiVersion: "meta.k8s.io/v1" as const,
        kind: "PartialObjectMetadata" as const,
        metadata,
      })),
      resourceVersion: "9",
    });
  const answers = (live: corev1.Namespace | undefined = namespace({ status: { phase: "Terminating" } })) =>
    new Answers().give(liveGet(namespaces, "shop"), answered(live)).give(discover(), answered(served));
  const context = (given: Answers) => ({ nowMs: Date.parse("2030-01-01T00:00:10Z"), answer: given.answer.bind(given) });
  const inShop = { namespace: "shop", metadataOnly: true } as const;
  const idle = new Outcome(nothing("nothing to do"));
  const words = (given: Answers) => {
    const decision = decide(seen, context(given));
    return decision.kind === "ask" ? [`ask ${decision.questions.length}`] : actionsOf(decision).map(printAction);
  };

  for (const [name, given, expected] of [
    ["asks for the namespace and for what is served", new Answers(), ["ask 2"]],
    ["asks for a list of each namespaced resource", answers(), ["ask 2"]],
    ["leaves one made anew alone", answers({ ...namespace(), metadata: { name: "shop" } }), []],
    ["leaves alone what only others hold", answers(namespace({ spec: { finalizers: ["x/y"] } })), []],
    [
      "is done when every list is empty",
      answers().give(liveList(pods, inShop), list()).give(liveList(configMaps, inShop), list()),
      ["update namespaces/finalize shop"],
    ],
    [
      "says first that it goes",
      answers(namespace()).give(liveList(pods, inShop), list()).give(liveList(configMaps, inShop), list()),
      ["edit namespaces/status shop"],
    ],
    [
      "is not done when a list could not be read",
      answers()
        .give(liveList(pods, inShop), list())
        .give(liveList(configMaps, inShop), unanswered(new Error("down"))),
      [],
    ],
    [
      "does not delete again what is on its way out",
      answers(namespace({ status: { phase: "Terminating" } }))
        .give(liveList(pods, inShop), list(item("Pod", "p", { deletionTimestamp: "2030-01-01T00:00:00Z" })))
        .give(liveList(configMaps, inShop), list()),
      [],
    ],
  ] as const) {
    test(name, () => expect(words(given)).toEqual(expected));
  }

  test("reports all five conditions, and nothing when they are said already", () => {
    const given = answers(namespace({ status: { phase: "Terminating" } }))
      .give(liveList(pods, inShop), list())
      .give(liveList(configMaps, inShop), list(item("ConfigMap", "a")));
    const first = report(seen, idle, context(given));
    const [action] = first?.steps.flat() ?? [];
    if (action?.type !== "edit") throw new Error("no edit");
    const { status } = action.patch as { readonly status: corev1.NamespaceStatus };
    expect(status.conditions).toHaveLength(5);
    const after = answers(namespace({ status: { phase: "Terminating", ...status } }))
      .give(liveList(pods, inShop), list())
      .give(liveList(configMaps, inShop), list(item("ConfigMap", "a")));
    expect(report(seen, idle, context(after))).toBeUndefined();
  });
});
