import { type corev1, newForbidden, printTime } from "@kubeloop/core/api";
import { type Action, actionsOf, type Plan, plan, remove, removeCollection } from "@kubeloop/core/contract";
import { configMaps, daemonSets, deployments, pods, secrets } from "@kubeloop/core/resources";
import { newNamespace, outcomeOf, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import type { Looked } from "./decide.ts";
import { DeletionAttempts } from "./model.ts";
import type { Remaining } from "./remaining.ts";
import { report } from "./report.ts";

const nowMs = Date.parse("2024-05-01T12:00:00Z");
const now = printTime(nowMs);
const before = printTime(nowMs - 60_000);
type Condition = corev1.NamespaceCondition;

const newShop = (conditions?: readonly Condition[], more: Partial<corev1.Namespace> = {}): corev1.Namespace =>
  stored({
    ...newNamespace("shop", { metadata: { deletionTimestamp: before } }),
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating", ...(conditions === undefined ? {} : { conditions }) },
    ...more,
  });
const left = (resource: Remaining["resource"], count: number, more: Partial<Remaining> = {}): Remaining => ({
  resource,
  count,
  finalizers: new Map(),
  estimateSeconds: 15,
  failure: undefined,
  ...more,
});

interface Given extends Partial<Looked> {
  readonly actions?: readonly Action[];
  readonly failing?: (action: Action) => Error | undefined;
}

function reported(given: Given): Plan | undefined {
  const { namespace = newShop(), undiscovered, unread = [], actions = [], failing = () => undefined } = given;
  const remaining = "remaining" in given ? given.remaining : [];
  const decided = plan<Looked>("looked", [actions], { notes: { namespace, undiscovered, unread, remaining } });
  const outcome = outcomeOf(decided, (action) => {
    const error = failing(action);
    return error === undefined ? undefined : { status: "failed", error };
  });
  const observed = { name: "shop", attempts: new DeletionAttempts().of(namespace) };
  return report(observed, outcome, { nowMs, answer: () => undefined });
}

/** As they are when the report's own plan has been carried out; undefined when it writes none. */
function written(given: Given): readonly Condition[] | undefined {
  const [edit] = outcomeOf(reported(given) ?? plan("none", [])).find({ type: "edit" });
  return edit?.result.status === "done" ? (edit.result.value as corev1.Namespace).status?.conditions : undefined;
}
/** "True SomeResourcesRemain: …" of one type. */
const told = (given: Given, type: string) =>
  written(given)?.flatMap((each) => (each.type === type ? [`${each.status} ${each.reason}: ${each.message}`] : []))[0];

const [discovery, parsing, content, remaining, finalizers] = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
] as const;
const ok = (type: string, reason: string, message: string, lastTransitionTime = now): Condition => ({
  type,
  status: "False",
  reason,
  message,
  lastTransitionTime,
});
const allFine = (time = now) => [
  ok(discovery, "ResourcesDiscovered", "All resources successfully discovered", time),
  ok(parsing, "ParsedGroupVersions", "All legacy kube types successfully parsed", time),
  ok(content, "ContentDeleted", "All content successfully deleted, may be waiting on finalization", time),
  ok(remaining, "ContentRemoved", "All content successfully removed", time),
  ok(finalizers, "ContentHasNoFinalizers", "All content-preserving finalizers finished", time),
];
const collection = removeCollection(configMaps, { namespace: "shop" });
const forbidden = newForbidden({ group: "", resource: "configmaps" }, "a", { detail: "no" });

describe("conditions", () => {
  test("all five are there, in their order, when nothing is wrong", () => expect(written({})).toEqual(allFine()));

  test("those that are as they were are not written", () =>
    expect(actionsOf(reported({ namespace: newShop(allFine(before)) }) ?? plan("", []))).toEqual([]));

  test("others are left alone, and stay first", () => {
    const other: Condition = { type: "unknown", status: "True" };
    expect(written({ namespace: newShop([other]) })).toEqual([other, ...allFine()]);
  });

  test("each keeps its place", () => {
    const [first, second, ...rest] = allFine(before);
    const swapped = [second, { ...first, status: "True" }] as readonly Condition[];
    expect(written({ namespace: newShop(swapped) })?.map(({ type }) => type)).toEqual([
      parsing,
      discovery,
      ...rest.map(({ type }) => type),
    ]);
  });

  test("a time moves only with the status", () => {
    const old = allFine(before).map((each) =>
      each.type === content
        ? { ...each, status: "True", reason: "ContentDeletionFailed" }
        : { ...each, message: "old" },
    );
    const times = Object.fromEntries(
      (written({ namespace: newShop(old as readonly Condition[]) }) ?? []).map(({ type, lastTransitionTime }) => [
        type,
        lastTransitionTime,
      ]),
    );
    expect(times).toEqual({
      [discovery]: before,
      [parsing]: before,
      [content]: now,
      [remaining]: before,
      [finalizers]: before,
    });
  });

  for (const [name, given, type, expected] of [
    [
      "what could not be discovered",
      { undiscovered: new Error("Discovery failed for some groups, 1 failing: x") },
      discovery,
      "True DiscoveryFailed: Discovery failed for some groups, 1 failing: x",
    ],
    [
      "what could not be listed",
      { unread: [{ resource: configMaps, error: new Error("no access") }] },
      content,
      "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: no access",
    ],
    [
      "what could not be deleted",
      { remaining: undefined, actions: [collection], failing: () => forbidden },
      content,
      `True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: ${forbidden.message}`,
    ],
    [
      "one failure of each resource",
      {
        remaining: undefined,
        actions: [remove(secrets, "shop/a"), remove(secrets, "shop/b"), collection],
        failing: (action: Action) => new Error("key" in action ? action.key : "all"),
      },
      content,
      "True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: all, shop/a",
    ],
    [
      "what is left without a reason",
      { remaining: [left(pods, 1, { failure: new Error("unexpected items") })] },
      content,
      "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items",
    ],
    [
      "failures in the order of their texts",
      {
        unread: [
          { resource: configMaps, error: new Error("z") },
          { resource: secrets, error: new Error("a") },
        ],
      },
      content,
      "True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, z",
    ],
    [
      "what is left, by resource and in order",
      { remaining: [left(deployments, 5), left(daemonSets, 5), left(configMaps, 1)] },
      remaining,
      "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, daemonsets.apps has 5 resource instances, deployments.apps has 5 resource instances",
    ],
    [
      "pods that are left are not counted",
      { remaining: [left(pods, 2, { finalizers: new Map([["held", 2]]) })] },
      remaining,
      "False ContentRemoved: All content successfully removed",
    ],
    [
      "nor are their finalizers",
      { remaining: [left(pods, 2, { finalizers: new Map([["held", 2]]) })] },
      finalizers,
      "False ContentHasNoFinalizers: All content-preserving finalizers finished",
    ],
    [
      "finalizers over all resources, in order",
      {
        remaining: [
          left(deployments, 5, { finalizers: new Map([["service-catalog", 4]]) }),
          left(configMaps, 7, {
            finalizers: new Map([
              ["service-catalog", 2],
              ["kubedb", 5],
            ]),
          }),
        ],
      },
      finalizers,
      "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: kubedb in 5 resource instances, service-catalog in 6 resource instances",
    ],
    [
      "no finalizers where none are left",
      { remaining: [left(deployments, 5)] },
      finalizers,
      "False ContentHasNoFinalizers: All content-preserving finalizers finished",
    ],
    [
      "not as left what could not be deleted",
      { remaining: [left(configMaps, 1), left(secrets, 1)], actions: [collection], failing: () => forbidden },
      remaining,
      "True SomeResourcesRemain: Some resources are remaining: secrets. has 1 resource instances",
    ],
    [
      "that parsing went well, also when discovery did not",
      { undiscovered: new Error("x") },
      parsing,
      "False ParsedGroupVersions: All legacy kube types successfully parsed",
    ],
  ] satisfies readonly (readonly [string, Given, string, string])[]) {
    test(`they tell ${name}`, () => expect(told(given, type)).toBe(expected));
  }
});

test("nothing is told after a first deletion: what is left is not known yet", () =>
  expect(reported({ remaining: undefined, actions: [collection] })).toBeUndefined());

test("nothing is told where nothing was looked at", () => {
  const observed = { name: "shop", attempts: new DeletionAttempts().of(newShop()) };
  const outcome = outcomeOf<Looked>({ kind: "plan", reason: "is gone", steps: [] });
  expect(report(observed, outcome, { nowMs, answer: () => undefined })).toBeUndefined();
});
