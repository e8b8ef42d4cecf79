import type { KubernetesObject, metav1 } from "@kubeloop/core/api";
import { defineResource } from "@kubeloop/core/api";
import { type Action, actionsOf, type Decision, liveGet, type Plan, type Question } from "@kubeloop/core/contract";
import { configMaps, deployments, nodes, pods } from "@kubeloop/core/resources";
import { Answers, answered, unanswered } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { named, referenceTo, served } from "./collector.fixture.ts";
import { decideItem, type Findings } from "./decide.ts";
import { type Identity, identityId } from "./identity.ts";
import { deletionOf, type GraphNode, policyOf } from "./model.ts";
import type { ObservedItem } from "./observe.ts";
import { resourceOf } from "./served-kinds.ts";

const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });
const all = { ...served, resources: [...served.resources, widgets] };

const deletionTimestamp = "2030-01-01T00:00:00Z";
const waits = { deletionTimestamp, finalizers: ["foregroundDeletion"] };
const solid = named("v1", "ConfigMap", "shop/solid");
const waiting = named("v1", "ConfigMap", "shop/waiting", waits);
const gone = named("v1", "ConfigMap", "shop/gone");
const ending = named("v1", "ConfigMap", "shop/ending", { deletionTimestamp, finalizers: ["x/y"] });
const node = named("v1", "Node", "node");
const itemOf = (more: metav1.ObjectMeta = {}, ...owners: readonly metav1.OwnerReference[]) =>
  named("v1", "Pod", "shop/item", {
    uid: "item",
    resourceVersion: "7",
    ...more,
    ...({ ownerReferences: owners } as object),
  });

interface Given {
  readonly item?: KubernetesObject;
  /** What the graph has; as the item unless given. */
  readonly graph?: Partial<GraphNode>;
  readonly seen?: Partial<Omit<ObservedItem, "node" | "isAbsent">>;
  readonly absent?: readonly Identity[];
  /** What the server has beside the item. */
  readonly live?: readonly KubernetesObject[];
  readonly failing?: readonly string[];
  readonly lacksItem?: boolean;
}

function observedOf({ item = itemOf(), graph = {}, seen = {}, absent = [] }: Given): ObservedItem {
  const { apiVersion, kind, metadata } = item;
  const { namespace = "", name = "", uid = "", resourceVersion = "", ownerReferences: owners = [] } = metadata;
  const absentIds = new Set(absent.map(identityId));
  return {
    node: {
      identity: { apiVersion, kind, namespace, name, uid },
      isVirtual: false,
      resourceVersion,
      owners,
      deletion: deletionOf(metadata),
      policy: policyOf(metadata),
      looks: 0,
      ...graph,
    },
    resourceOf: (each) => resourceOf(all, each),
    isAbsent: (owner) => absentIds.has(identityId(owner)),
    takesStrategicPatch: () => true,
    misplacedOwners: [],
    refusedOwners: undefined,
    hasDependents: false,
    isBlocked: false,
    mayBeCircle: () => false,
    ...seen,
  };
}

/** Answers from what is live until there is a plan; `asked` has the rounds. */
function decided(given: Given): { readonly plan: Plan<Findings>; readonly asked: readonly (readonly string[])[] } {
  const { item = itemOf(), live = [], failing = [], lacksItem = false } = given;
  const stored = new Map([...live, ...(lacksItem ? [] : [item])].map((each) => [placeOf(each), each]));
  const answers = new Answers();
  const asked: (readonly string[])[] = [];
  for (;;) {
    const decision: Decision<Findings> = decideItem(observedOf(given), {
      nowMs: 0,
      answer: (each) => answers.answer(each),
    });
    if (decision.kind === "plan") return { plan: decision, asked };
    asked.push(decision.questions.map(printQuestion));
    for (const question of decision.questions) {
      const place = printQuestion(question);
      const answer = failing.includes(place)
        ? unanswered(new Error("the server is down"))
        : answered(stored.get(place));
      answers.give(question, answer);
    }
  }
}

const pluralOf = new Map([...all.resources].map((each) => [`${each.apiVersion} ${each.kind}`, each.plural]));
const placeOf = ({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject) =>
  `${pluralOf.get(`${apiVersion} ${kind}`)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
const printQuestion = (question: Question) =>
  question.about === "object" ? `${question.resource.plural} ${question.key}` : question.id;

const writesOf = (plan: Plan) => actionsOf(plan).map(printWrite);
function printWrite(action: Action): string {
  switch (action.type) {
    case "delete": {
      const { preconditions = {}, propagationPolicy } = action.options;
      return `delete ${action.key} ${propagationPolicy} if ${Object.values(preconditions).join(" ")}`;
    }
    case "patch":
      return `${action.patch.type} ${action.key} ${"body" in action.patch ? JSON.stringify(action.patch.body) : ""} if ${Object.values(action.preconditions).join(" ")}`;
    case "edit":
      return `edit ${action.before.metadata.name} ${JSON.stringify(action.patch)}`;
    case "event":
      return `${action.eventType} ${action.reason}: ${action.message}`;
    default:
      return action.type;
  }
}

const ownerPatch = (...uids: readonly string[]) =>
  `strategic shop/item {"metadata":{"ownerReferences":[${uids.map((uid) => `{"$patch":"delete","uid":"${uid}"}`).join(",")}]}} if item`;
const [toSolid, toWaiting, toGone, toEnding, toNode] = [solid, waiting, gone, ending, node].map((each) =>
  referenceTo(each),
) as [
  metav1.OwnerReference,
  metav1.OwnerReference,
  metav1.OwnerReference,
  metav1.OwnerReference,
  metav1.OwnerReference,
];
const live = [solid, waiting, ending, node];

describe("an item", () => {
  test.each<[string, Given, string, readonly string[]]>([
    [
      "that is being deleted is waited for",
      { item: itemOf({ deletionTimestamp, finalizers: ["x/y"] }, toGone) },
      "is being deleted already",
      [],
    ],
    [
      "whose dependents are orphaned is waited for",
      { item: itemOf({ deletionTimestamp, finalizers: ["orphan"] }, toGone) },
      "is being deleted already",
      [],
    ],
    ["that the server does not have is gone", { lacksItem: true }, "is gone", []],
    [
      "that was made anew is gone",
      { graph: { identity: { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "item", uid: "old" } } },
      "is gone",
      [],
    ],
    ["without owners stays", {}, "has no owner", []],
    ["that has no owner any more stays, whatever the graph says", { graph: { owners: [toGone] } }, "has no owner", []],
    ["with a solid owner stays", { item: itemOf({}, toSolid) }, "is owned", []],
    ["whose owner is being deleted stays until the owner is gone", { item: itemOf({}, toEnding) }, "is owned", []],
    ["with a cluster-scoped owner stays", { item: itemOf({}, toNode) }, "is owned", []],
    [
      "without any owner left goes",
      { item: itemOf({}, toGone) },
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ],
    [
      "whose owner was made anew goes",
      { item: itemOf({}, { ...toSolid, uid: "old" }) },
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ],
    [
      "with two owners goes only without both",
      { item: itemOf({}, toGone, { ...toSolid, uid: "old" }) },
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ],
    [
      "with the finalizer orphan orphans its own dependents",
      { item: itemOf({ finalizers: ["orphan"] }, toGone) },
      "nobody owns it",
      ["delete shop/item Orphan if item 7"],
    ],
    [
      "with the finalizer foregroundDeletion waits for them",
      { item: itemOf({ finalizers: ["foregroundDeletion"] }, toGone) },
      "nobody owns it",
      ["delete shop/item Foreground if item 7"],
    ],
    ["drops an owner that is gone", { item: itemOf({}, toSolid, toGone) }, "drops owners", [ownerPatch("shop/gone")]],
    [
      "drops an owner that waits, or that would wait for ever",
      { item: itemOf({}, toWaiting, toSolid) },
      "drops owners",
      [ownerPatch("shop/waiting")],
    ],
    [
      "drops those that are gone and those that wait",
      { item: itemOf({}, toWaiting, toSolid, toGone) },
      "drops owners",
      [ownerPatch("shop/gone", "shop/waiting")],
    ],
    [
      "whose owner waits goes",
      { item: itemOf({}, toWaiting) },
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ],
    [
      "with dependents whose owner waits goes after them",
      { item: itemOf({}, toWaiting), seen: { hasDependents: true } },
      "goes with its owner, after its own dependents",
      ["delete shop/item Foreground if item 7"],
    ],
    [
      "with dependents and no owner goes before them",
      { item: itemOf({}, toGone), seen: { hasDependents: true } },
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ],
    [
      "in a circle does not block its owners any longer",
      {
        item: itemOf({}, { ...toWaiting, blockOwnerDeletion: true }, toGone),
        seen: { hasDependents: true, mayBeCircle: () => true },
      },
      "goes with its owner, after its own dependents",
      [
        `strategic shop/item ${JSON.stringify({ metadata: { ownerReferences: [{ ...toWaiting, blockOwnerDeletion: false }] } })} if item 7`,
        "delete shop/item Foreground if item 7",
      ],
    ],
    [
      "in a circle that blocks nobody is not patched",
      { item: itemOf({}, toWaiting), seen: { hasDependents: true, mayBeCircle: () => true } },
      "goes with its owner, after its own dependents",
      ["delete shop/item Foreground if item 7"],
    ],
    [
      "that waits stays while a dependent blocks it",
      { item: itemOf(waits, toGone), seen: { isBlocked: true } },
      "waits for its dependents",
      [],
    ],
    [
      "that waits loses its finalizer when none blocks it",
      { item: itemOf({ ...waits, finalizers: ["x/y", "foregroundDeletion"] }) },
      "no dependent blocks it",
      ['edit item {"metadata":{"finalizers":["x/y"]}}'],
    ],
    [
      "that has lost its finalizer already is left alone",
      { item: itemOf(), graph: { deletion: "deletingDependents" } },
      "no dependent blocks it",
      [],
    ],
    [
      "of a kind that is not served is tried again",
      { item: named("example.com/v9", "Widget", "shop/item") },
      "its kind is not served",
      [],
    ],
    [
      "whose owner's kind is not served is tried again",
      { item: itemOf({}, { ...toGone, apiVersion: "apps/v1beta1" }) },
      "an owner's kind is not served",
      [],
    ],
    [
      "that cannot be read is tried again",
      { item: itemOf({}, toGone), failing: ["pods shop/item"] },
      "it cannot be read",
      [],
    ],
    [
      "whose owner cannot be read is tried again, whatever the others",
      { item: itemOf({}, toGone, toSolid), failing: ["configmaps shop/solid"] },
      "an owner cannot be read",
      [],
    ],
    [
      "that is cluster-scoped with a namespaced owner stays",
      { item: named("v1", "Node", "item", { owners: [gone] }) },
      "cluster-scoped objects cannot refer to namespaced owners",
      [],
    ],
    [
      "that is cluster-scoped with a cluster-scoped owner that is gone goes",
      { item: named("v1", "Node", "item", { owners: [named("v1", "Node", "other")] }) },
      "nobody owns it",
      ["delete item Background if item 1"],
    ],
  ])("%s", (_, given, reason, writes) => {
    const { plan } = decided({ live, ...given });
    expect([plan.reason, writesOf(plan)]).toEqual([reason, writes]);
    expect(plan.unfinished === undefined).toBe(!/again/.test(_));
  });
});

describe("a custom item", () => {
  const widget = (...owners: readonly KubernetesObject[]) =>
    named("example.com/v1", "Widget", "shop/item", { uid: "item", resourceVersion: "7", owners });

  test("is patched as a whole list, at the version that was read", () => {
    const { plan } = decided({ live, item: widget(solid, gone) });
    expect(writesOf(plan)).toEqual([
      `merge shop/item ${JSON.stringify({ metadata: { ownerReferences: [toSolid] } })} if item 7`,
    ]);
  });

  test("so is a built-in one whose server refuses strategic patches", () => {
    const { plan } = decided({ live, item: itemOf({}, toSolid, toGone), seen: { takesStrategicPatch: () => false } });
    expect(writesOf(plan)[0]).toMatch(/^merge shop\/item/);
  });

  test("in a circle is unblocked as a whole list", () => {
    const item = widget(gone);
    const references = [{ ...toWaiting, blockOwnerDeletion: true }, toGone];
    const { plan } = decided({
      live,
      item: { ...item, metadata: { ...item.metadata, ownerReferences: references } },
      seen: { hasDependents: true, mayBeCircle: () => true },
    });
    const unblocked = references.map((each) => ({ ...each, blockOwnerDeletion: false }));
    expect(writesOf(plan)[0]).toBe(
      `merge shop/item ${JSON.stringify({ metadata: { ownerReferences: unblocked } })} if item 7`,
    );
  });
});

describe("before it concludes anything", () => {
  test("it reads the item, and then all owners at once, by metadata alone", () => {
    const { asked } = decided({ live, item: itemOf({}, toGone, toSolid, toNode) });
    expect(asked).toEqual([["pods shop/item"], ["configmaps shop/gone", "configmaps shop/solid", "nodes node"]]);
    const first = decideItem(observedOf({}), { nowMs: 0, answer: () => undefined });
    expect(first).toMatchObject({ questions: [{ id: liveGet(pods, "shop/item", { metadataOnly: true }).id }] });
  });

  test.each([
    ["in the namespace", "shop"],
    ["of the cluster", ""],
  ])("it does not read an owner that is known to be absent %s", (_, namespace) => {
    const absent = [{ apiVersion: "v1", kind: "ConfigMap", namespace, name: "gone", uid: "shop/gone" }];
    const { asked, plan } = decided({ live, item: itemOf({}, toGone), absent });
    expect([asked, plan.reason, writesOf(plan)]).toEqual([
      [],
      "nobody owns it",
      ["delete shop/item Background if item 7"],
    ]);
  });

  const absent = [{ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "gone", uid: "shop/gone" }];
  const orphan = itemOf({}, toGone);
  test.each<[string, Given, readonly string[]]>([
    ["it is deleted at the version that the graph has", { item: orphan }, ["delete shop/item Background if item 7"]],
    [
      "its finalizers say how its dependents are treated",
      { item: itemOf({ finalizers: ["orphan"] }, toGone) },
      ["delete shop/item Orphan if item 7"],
    ],
    [
      "one owner that is not known to be gone is enough to read it",
      { item: itemOf({}, toGone, toSolid) },
      ["pods shop/item", "configmaps shop/solid", ownerPatch("shop/gone")],
    ],
    [
      "a deletion that was refused is decided on what is live",
      { item: orphan, seen: { refusedOwners: "other" } },
      ["pods shop/item", "delete shop/item Background if item 7"],
    ],
    [
      "a node that no watch has shown is read",
      { item: orphan, graph: { isVirtual: true } },
      ["pods shop/item", "delete shop/item Background if item 7"],
    ],
    [
      "one that waits for its dependents is read",
      { item: itemOf(waits, toGone), graph: { owners: [toGone] } },
      ["pods shop/item", 'edit item {"metadata":{"finalizers":null}}'],
    ],
  ])("where the owners are known to be gone, %s", (_, given, expected) => {
    const { asked, plan } = decided({ live, absent, ...given });
    expect([...asked.flat(), ...writesOf(plan)]).toEqual(expected);
  });

  test("an owner that is absent in another namespace is read", () => {
    const absent = [{ apiVersion: "v1", kind: "ConfigMap", namespace: "bank", name: "gone", uid: "shop/gone" }];
    expect(decided({ live, item: itemOf({}, toGone), absent }).asked).toHaveLength(2);
  });

  test("one that is being deleted is not even read", () => {
    expect(decided({ item: itemOf({ deletionTimestamp }) }).asked).toEqual([]);
  });
});

describe("a deletion that was refused because the item had changed", () => {
  const owners = JSON.stringify([toGone]);

  test("is sent for any version, if the owners are the same", () => {
    const { plan } = decided({ item: itemOf({}, toGone), seen: { refusedOwners: owners } });
    expect(writesOf(plan)).toEqual(["delete shop/item Background if item"]);
  });

  test("is sent for the version that was read, if the owners are others", () => {
    const { plan } = decided({ item: itemOf({}, { ...toGone, controller: true }), seen: { refusedOwners: owners } });
    expect(writesOf(plan)).toEqual(["delete shop/item Background if item 7"]);
  });
});

describe("what is found out", () => {
  test("owners that are absent are remembered, namespaced or not", () => {
    const { plan } = decided({ live, item: itemOf({}, toSolid, toGone, { ...toNode, name: "x", uid: "x" }) });
    expect(plan.notes?.absentOwners).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "gone", uid: "shop/gone" },
      { apiVersion: "v1", kind: "Node", namespace: "", name: "x", uid: "x" },
    ]);
  });

  test("an item that the server does not have", () =>
    expect(decided({ lacksItem: true }).plan.notes).toEqual({ isGone: true }));

  test("a virtual node that is there is looked for again; one that cannot be, is not", () => {
    expect(decided({ graph: { isVirtual: true, looks: 3 } }).plan.requeueAfterMs).toBe(40);
    expect(decided({}).plan.requeueAfterMs).toBeUndefined();
    expect(decided({ graph: { isVirtual: true }, lacksItem: true }).plan.requeueAfterMs).toBeUndefined();
    const identity = { apiVersion: "v1", kind: "Pod", namespace: "", name: "item", uid: "item" };
    const { plan } = decided({ graph: { isVirtual: true, identity } });
    expect([plan.reason, plan.requeueAfterMs]).toEqual([
      "cluster-scoped objects cannot refer to namespaced owners",
      undefined,
    ]);
  });
});

test("an event tells of an owner in another namespace, before anything is done", () => {
  const { plan } = decided({ item: itemOf({}, toGone), seen: { misplacedOwners: [toGone] } });
  expect(writesOf(plan)).toEqual([
    'Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: shop, name: gone, uid: shop/gone] does not exist in namespace "shop"',
    "delete shop/item Background if item 7",
  ]);
  const [event] = actionsOf(plan);
  expect(event).toMatchObject({
    about: { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: "item", uid: "item" } },
  });
});

test("the kinds of this table are served", () => {
  expect([configMaps, deployments, nodes, pods].every((each) => resourceOf(all, each) === each)).toBe(true);
});
