import {
  type corev1,
  defineResource,
  type KubernetesObject,
  newMethodNotSupported,
  newNotFound,
  printTime,
  type Resource,
} from "@kubeloop/core/api";
import {
  actionsOf,
  type Decision,
  discover,
  liveGet,
  liveList,
  type Plan,
  printAction,
  type Served,
} from "@kubeloop/core/contract";
import { configMaps, deployments, namespaces, nodes, pods, secrets } from "@kubeloop/core/resources";
import {
  Answers,
  answered,
  newConfigMap,
  newNamespace,
  newPod,
  newSecret,
  stored,
  unanswered,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { decide, type Looked } from "./decide.ts";
import type { Attempts } from "./model.ts";
import { isPods } from "./remaining.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const ago = (seconds: number) => printTime(nowMs - seconds * 1000);
const custom = (kind: string, plural: string, ...verbs: readonly string[]) =>
  defineResource({ group: "example.com", version: "v1", kind, plural, verbs });
const widgets = custom("Widget", "widgets", "get", "list", "watch", "create", "update", "patch", "delete");
const boxes = custom("Box", "boxes", "create", "delete", "deletecollection");
const reviews = custom("Review", "reviews", "create");
const standard = [namespaces, nodes, pods, configMaps, secrets, deployments, widgets, reviews];

const newShop = (metadata: object = {}, more: Partial<corev1.Namespace> = {}): corev1.Namespace =>
  stored({
    ...newNamespace("shop", { metadata: { deletionTimestamp: ago(6), ...metadata } }),
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating" },
    ...more,
  });
const alive = (name: string) => stored(newConfigMap(`shop/${name}`));
const held = { deletionTimestamp: ago(1), finalizers: ["example.com/held"] };
const going = (name: string, metadata: object = held) => stored(newConfigMap(`shop/${name}`, { metadata }));
const secret = stored(newSecret("shop/s"));
const widget: KubernetesObject = stored({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { namespace: "shop", name: "w" },
});
const pod = (
  name: string,
  facts: { readonly metadata?: object; readonly grace?: number; readonly phase?: string } = {},
) =>
  stored(
    newPod(`shop/${name}`, {
      metadata: facts.metadata ?? {},
      spec: { terminationGracePeriodSeconds: facts.grace ?? 30 },
      status: { phase: facts.phase ?? "Running" },
    }),
  );
const terminating = { metadata: { deletionTimestamp: ago(1) } };

interface Given {
  /** What a live read of the namespace finds. */
  readonly live?: corev1.Namespace | Error | undefined;
  readonly served?: readonly Resource[] | Error;
  readonly failures?: Readonly<Record<string, string>>;
  readonly content?: readonly (readonly [Resource, readonly KubernetesObject[] | Error])[];
  readonly tried?: readonly Resource[];
  readonly oneByOne?: readonly Resource[];
}

const attemptsOf = ({ tried = [], oneByOne = [] }: Given): Attempts => ({
  isTried: ({ plural }) => tried.some((each) => each.plural === plural),
  isOneByOne: ({ plural }) => oneByOne.some((each) => each.plural === plural),
});

/** Asks and answers until it has decided; with the lists that it asked for. */
function decided(given: Given): { readonly decision: Decision<Looked>; readonly listed: readonly string[] } {
  const { served = standard, failures = {}, content = [] } = given;
  const live = "live" in given ? given.live : newShop();
  const all = new Map(content.map(([resource, found]) => [resource.plural, found]));
  const answers = new Answers();
  const listed: string[] = [];
  const discovered: Served | Error =
    served instanceof Error
      ? served
      : {
          groups: [],
          resources: served,
          failures: new Map(Object.entries(failures).map(([apiVersion, text]) => [apiVersion, new Error(text)])),
        };
  for (let round = 0; round < 5; round++) {
    const decision = decide(
      { name: "shop", attempts: attemptsOf(given) },
      { nowMs, answer: (question) => answers.answer(question) },
    );
    if (decision.kind === "plan") return { decision, listed };
    for (const question of decision.questions) {
      if (question.about === "list") {
        listed.push(question.resource.plural);
        expect(question.view).toBe(isPods(question.resource) ? "full" : "metadata");
        expect(question.namespace).toBe("shop");
        const found = all.get(question.resource.plural) ?? [];
        answers.give(question, found instanceof Error ? unanswered(found) : answered({ items: found }));
      }
    }
    answers.give(liveGet(namespaces, "shop"), live instanceof Error ? unanswered(live) : answered(live));
    answers.give(discover(), discovered instanceof Error ? unanswered(discovered) : answered(discovered));
  }
  throw new Error("it asks for ever");
}

function planned(given: Given): Plan<Looked> {
  const { decision } = decided(given);
  if (decision.kind !== "plan") throw new Error("is no plan");
  return decision;
}

/** "deletecollection configmaps", "delete widgets w", "edit namespaces/finalize shop": then when it is looked at again. */
function summary(given: Given): readonly string[] {
  const plan = planned(given);
  const actions = actionsOf(plan).map((action) => printAction(action).replace(" in shop", "").replace("shop/", ""));
  const next =
    plan.unfinished !== undefined
      ? `fails: ${plan.unfinished.message}`
      : plan.requeueAfterMs !== undefined
        ? `again in ${plan.requeueAfterMs / 1000} s`
        : "done";
  return [...actions, next];
}
const configMapsName = { group: "", resource: "configmaps" };
const noSuch = newNotFound(configMapsName, "");
const notAllowed = newMethodNotSupported(configMapsName, "list");
const letGo = ["edit namespaces/status shop", "edit namespaces/finalize shop"];
const unexpected = (gvr: string) => `fails: unexpected items still remain in namespace: shop for gvr: ${gvr}`;

describe("the namespace controller", () => {
  for (const [name, given, expected] of [
    ["lets an empty namespace go", {}, [...letGo, "done"]],
    ["does nothing about a namespace that is gone", { live: undefined }, ["done"]],
    ["does nothing about one that was made anew", { live: newShop({ deletionTimestamp: undefined }) }, ["done"]],
    ["tries again if it cannot read the namespace", { live: new Error("down") }, ["fails: down"]],
    [
      "first says that it is terminating",
      { live: newShop({}, { status: { phase: "Active" } }) },
      ["edit namespaces/status shop", "again in 0 s"],
    ],
    ["leaves one alone that is let go", { live: newShop({}, { spec: { finalizers: [] } }) }, ["done"]],
    ["leaves one alone that has no spec", { live: newShop({}, { spec: {} }) }, ["done"]],
    [
      "empties one that only others hold",
      { live: newShop({}, { spec: { finalizers: ["a/b"] } }), content: [[configMaps, [alive("a")]]] },
      ["deletecollection configmaps", "again in 0 s"],
    ],
    [
      "does not let go what only others hold, but tells that it is empty",
      { live: newShop({}, { spec: { finalizers: ["a/b"] } }) },
      ["edit namespaces/status shop", "done"],
    ],
    [
      "deletes collections, and looks again at once",
      {
        content: [
          [configMaps, [alive("a"), alive("b")]],
          [secrets, [secret]],
        ],
      },
      ["deletecollection configmaps", "deletecollection secrets", "again in 0 s"],
    ],
    [
      "deletes one by one where there is no such verb",
      { content: [[widgets, [widget]]] },
      ["delete widgets.example.com w", "again in 0 s"],
    ],
    [
      "deletes one by one what the server has refused to delete as a collection",
      { content: [[configMaps, [alive("a"), going("b")]]], oneByOne: [configMaps] },
      ["delete configmaps a", "again in 0 s"],
    ],
    [
      "deletes pods first",
      {
        content: [
          [pods, [pod("p")]],
          [configMaps, [alive("a")]],
        ],
      },
      ["deletecollection pods", "again in 0 s"],
    ],
    [
      "waits for half the longest grace period of its pods, and a second",
      { content: [[pods, [pod("p", { ...terminating, grace: 30 }), pod("q", { ...terminating, grace: 45 })]]] },
      ["again in 23 s"],
    ],
    [
      "does not wait for pods that have ended",
      {
        content: [
          [pods, [pod("p", { ...terminating, phase: "Succeeded" }), pod("q", { ...terminating, phase: "Failed" })]],
        ],
      },
      [unexpected("/v1, Resource=pods")],
    ],
    [
      "fails for a pod that is there when its grace period has passed",
      { live: newShop({ deletionTimestamp: ago(30) }), content: [[pods, [pod("p", terminating)]]] },
      [unexpected("/v1, Resource=pods")],
    ],
    [
      "waits for a pod up to the second in which its grace period has passed",
      { live: newShop({ deletionTimestamp: ago(29) }), content: [[pods, [pod("p", terminating)]]] },
      ["again in 16 s"],
    ],
    [
      "waits eight seconds for a pod with a finalizer when its grace period has passed",
      { live: newShop({ deletionTimestamp: ago(30) }), content: [[pods, [pod("p", { metadata: held })]]] },
      ["again in 8 s"],
    ],
    [
      "deletes a pod again that does not know of it",
      { content: [[pods, [pod("p"), pod("q", terminating)]]], tried: [pods] },
      ["deletecollection pods", "again in 16 s"],
    ],
    ["waits eight seconds for finalizers", { content: [[configMaps, [going("a")]]] }, ["again in 8 s"]],
    [
      "fails for what is left without a reason",
      { content: [[widgets, [{ ...widget, metadata: { ...widget.metadata, deletionTimestamp: ago(1) } }]]] },
      [unexpected("example.com/v1, Resource=widgets")],
    ],
    [
      "fails for, and deletes again, what a deletion left alive",
      { content: [[configMaps, [alive("a")]]], tried: [configMaps] },
      ["deletecollection configmaps", unexpected("/v1, Resource=configmaps")],
    ],
    [
      "looks at once again if anything was deleted for the first time",
      {
        content: [
          [configMaps, [alive("a")]],
          [secrets, [secret]],
        ],
        tried: [configMaps],
      },
      ["deletecollection configmaps", "deletecollection secrets", "again in 0 s"],
    ],
    [
      "keeps a namespace with a list that cannot be read",
      { content: [[configMaps, new Error("no access")]] },
      ["fails: no access"],
    ],
    [
      "deletes what it can although a list cannot be read",
      {
        content: [
          [configMaps, new Error("no access")],
          [secrets, [secret]],
        ],
      },
      ["deletecollection secrets", "again in 0 s"],
    ],
    [
      "deletes nothing else if pods cannot be read",
      {
        content: [
          [pods, new Error("no access")],
          [secrets, [secret]],
        ],
      },
      ["fails: no access"],
    ],
    ["takes a list that is not found for an empty one", { content: [[configMaps, noSuch]] }, [...letGo, "done"]],
    ["takes a list that is not served for an empty one", { content: [[configMaps, notAllowed]] }, [...letGo, "done"]],
    [
      "goes on to others where pods are not served",
      {
        content: [
          [pods, noSuch],
          [secrets, [secret]],
        ],
      },
      ["deletecollection secrets", "again in 0 s"],
    ],
    [
      "goes on to others where there are no pods to serve",
      { served: [secrets], content: [[secrets, [secret]]] },
      ["deletecollection secrets", "again in 0 s"],
    ],
    [
      "keeps a namespace while a group cannot be discovered",
      { failures: { "metrics.k8s.io/v1beta1": "stale" } },
      [
        "fails: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale",
      ],
    ],
    [
      "names all groups that cannot be discovered in order",
      { failures: { "b/v1": "down", "a/v1": "stale" } },
      [
        "fails: Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a/v1: stale, b/v1: down",
      ],
    ],
    [
      "deletes what it knows of although a group cannot be discovered",
      { failures: { "b/v1": "down" }, content: [[secrets, [secret]]] },
      ["deletecollection secrets", "again in 0 s"],
    ],
    [
      "keeps a namespace while nothing can be discovered",
      { served: new Error("no discovery") },
      ["fails: no discovery"],
    ],
    [
      "deletes what cannot be listed, before it lets the namespace go",
      { served: [pods, boxes] },
      ["deletecollection boxes.example.com", "again in 0 s"],
    ],
    ["lets the namespace go when that was done", { served: [pods, boxes], tried: [boxes] }, [...letGo, "done"]],
  ] satisfies readonly (readonly [string, Given, readonly string[]])[]) {
    test(name, () => expect(summary(given)).toEqual(expected));
  }
});

test("it lists pods alone, and all other namespaced resources that can be deleted when there are none", () => {
  expect(decided({ content: [[pods, [pod("p")]]] }).listed).toEqual(["pods"]);
  expect(decided({}).listed).toEqual(["pods", "configmaps", "secrets", "deployments", "widgets"]);
});

test("what is deleted one by one is that very object, and its dependents go in the background", () => {
  const [action] = actionsOf(planned({ content: [[widgets, [widget]]] }));
  expect(action).toMatchObject({
    options: { propagationPolicy: "Background", preconditions: { uid: stored(widget).metadata.uid } },
    tolerates: ["NotFound", "Conflict", "MethodNotSupported"],
  });
});

test("a collection is deleted without the garbage collector holding it, and a server that does not do that is no failure", () => {
  const [action] = actionsOf(planned({ content: [[configMaps, [alive("a")]]] }));
  expect(action).toMatchObject({
    namespace: "shop",
    options: { propagationPolicy: "Background" },
    tolerates: ["NotFound", "MethodNotSupported"],
  });
});

test("the finalizers of others are left each once and sorted", () => {
  const { steps } = planned({ live: newShop({}, { spec: { finalizers: ["c/d", "kubernetes", "a/b", "c/d"] } }) });
  expect(steps[1]).toMatchObject([{ subresource: "finalize", patch: { spec: { finalizers: ["a/b", "c/d"] } } }]);
});

test("only our finalizer is taken away, after the conditions were written", () => {
  const live = newShop({}, { spec: { finalizers: ["a/b", "kubernetes", "c/d"] } });
  const { steps } = planned({ live });
  expect(steps).toMatchObject([
    [{ type: "edit", subresource: "status", isLocked: true }],
    [{ type: "edit", subresource: "finalize", isLocked: true, patch: { spec: { finalizers: ["a/b", "c/d"] } } }],
  ]);
});

test("a list of the live server is asked for, never a cache", () => {
  const decision = decide({ name: "shop", attempts: attemptsOf({}) }, { nowMs, answer: () => undefined });
  expect(decision).toMatchObject({ kind: "ask", questions: [liveGet(namespaces, "shop"), discover()] });
  expect(liveList(pods, { namespace: "shop" }).about).toBe("list");
});
