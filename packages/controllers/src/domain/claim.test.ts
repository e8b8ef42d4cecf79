import { type corev1, keyOf, newForbidden, newOwnerReference } from "@kubeloop/core/api";
import { actionsOf, liveGet, printAction } from "@kubeloop/core/contract";
import { controllerRevisions, jobs, pods, replicaSets } from "@kubeloop/core/resources";
import {
  Answers,
  answered,
  newObject,
  newPod,
  newReplicaSet,
  ownedBy,
  stored,
  unanswered,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type ClaimInput, claimChildren, decideAdoption } from "./claim.ts";

const selector = { matchLabels: { app: "web" } };
const labels = { app: "web" };
const deletionTimestamp = "2024-01-01T00:00:00Z";
const set = stored(newReplicaSet("shop/web", { spec: { selector } }));
const going = { ...set, metadata: { ...set.metadata, deletionTimestamp } };
const other = stored(newReplicaSet("shop/other"));

const orphan = (metadata: object = {}) => stored(newPod("shop/p", { metadata: { labels, ...metadata } }));
const its = (metadata: object = {}) => ownedBy(set, orphan(metadata));
const claim = (input: Partial<ClaimInput<corev1.Pod>>) =>
  claimChildren(pods, { owner: set, selector, owned: [], orphans: [], ...input });

describe("an object is", () => {
  for (const [name, input, becomes] of [
    ["kept, if it is owned and matches", { owned: [its()] }, "claimed"],
    ["kept while it is being deleted", { owned: [its({ deletionTimestamp })] }, "claimed"],
    ["kept by an owner that is being deleted", { owned: [its()], owner: going }, "claimed"],
    ["released, if it is owned and matches no more", { owned: [its({ labels: {} })] }, "released"],
    ["released while it is being deleted", { owned: [its({ labels: {}, deletionTimestamp })] }, "released"],
    ["released, if it is no member", { owned: [its()], isMember: () => false }, "released"],
    ["not released by an owner that is being deleted", { owned: [its({ labels: {} })], owner: going }, "nobody's"],
    ["adopted, if it is an orphan and matches", { orphans: [orphan()] }, "adopted"],
    ["not adopted, if it does not match", { orphans: [orphan({ labels: {} })] }, "nobody's"],
    ["not adopted, if it is no member", { orphans: [orphan()], isMember: () => false }, "nobody's"],
    ["not adopted while it is being deleted", { orphans: [orphan({ deletionTimestamp })] }, "nobody's"],
    ["not adopted by an owner that is being deleted", { orphans: [orphan()], owner: going }, "nobody's"],
    ["not adopted from another namespace", { orphans: [orphan({ namespace: "bank" })] }, "nobody's"],
    ["left alone, if another controls it", { owned: [ownedBy(other, orphan())] }, "nobody's"],
    [
      "left alone, if another controls it and it does not match",
      { owned: [ownedBy(other, orphan({ labels: {} }))] },
      "nobody's",
    ],
    ["left alone by an owner without selector", { orphans: [orphan()], selector: undefined }, "nobody's"],
    ["left alone by a selector that cannot be read", { orphans: [orphan()], selector: badSelector() }, "nobody's"],
  ] as const) {
    test(name, () => {
      const { claimed, adopted, released, edits } = claim(input);
      const found =
        adopted.length > 0 ? "adopted" : released.length > 0 ? "released" : claimed.length > 0 ? "claimed" : "nobody's";
      expect(found).toBe(becomes);
      expect(claimed).toHaveLength(becomes === "claimed" || becomes === "adopted" ? 1 : 0);
      expect(edits).toHaveLength(becomes === "adopted" || becomes === "released" ? 1 : 0);
    });
  }
});

describe("an edit", () => {
  const owners = (action: unknown) => (action as { patch: { metadata: object } }).patch.metadata;

  test("of an adoption adds the controller to other owners, is locked, and tolerates nothing", () => {
    const config = newOwnerReference(other);
    const [edit] = claim({ orphans: [orphan({ ownerReferences: [config] })] }).edits;
    const controller = { ...newOwnerReference(set), controller: true, blockOwnerDeletion: true };
    expect(owners(edit)).toEqual({ ownerReferences: [config, controller] });
    expect(edit).toMatchObject({ type: "edit", isLocked: true, tolerates: [] });
  });

  test("of a release leaves other owners, is locked, and minds neither that the object is gone nor that it is another one", () => {
    const config = newOwnerReference(other);
    const mixed = its({ labels: {} });
    const references = [...(mixed.metadata.ownerReferences ?? []), config];
    const [edit] = claim({ owned: [{ ...mixed, metadata: { ...mixed.metadata, ownerReferences: references } }] }).edits;
    expect(owners(edit)).toEqual({ ownerReferences: [config] });
    expect(edit).toMatchObject({ type: "edit", isLocked: true, tolerates: ["NotFound", "Conflict"] });
  });

  test("adds a finalizer with the adoption, and removes it with the release", () => {
    const finalizer = "batch.kubernetes.io/job-tracking";
    const released = its({ name: "q", labels: {}, finalizers: [finalizer, "mine"] });
    const { edits } = claim({ orphans: [orphan()], owned: [released], finalizer });
    expect(owners(edits[0])).toMatchObject({ finalizers: [finalizer] });
    expect(owners(edits[1])).toEqual({ ownerReferences: null, finalizers: ["mine"] });
  });

  test.each([
    [replicaSets, "edit replicasets.apps shop/c"],
    [controllerRevisions, "edit controllerrevisions.apps shop/c"],
    [jobs, "edit jobs.batch shop/c"],
  ] as const)("can be of any kind: %#", (resource, expected) => {
    const child = stored(newObject<never>(resource as never, "shop/c", { metadata: { labels } } as never));
    const { edits } = claimChildren<never>(resource as never, { owner: set, selector, owned: [], orphans: [child] });
    expect(edits.map(printAction)).toEqual([expected]);
  });
});

describe("before it adopts, the owner", () => {
  const question = liveGet(replicaSets, keyOf(set));
  const claimed = claim({ orphans: [orphan()], owned: [its({ name: "q", labels: {} })] });
  const decided = (answers: Answers) =>
    decideAdoption(replicaSets, set, claimed, { nowMs: 0, answer: (q) => answers.answer(q) });

  test("is read live", () => expect(decided(new Answers())).toMatchObject({ kind: "ask", questions: [question] }));
  test("is not read where nothing is adopted", () => {
    const none = claim({ owned: [its({ labels: {} })] });
    expect(decideAdoption(replicaSets, set, none, { nowMs: 0, answer: () => undefined })).toBeUndefined();
  });
  test("must be there, and then the plan goes on", () =>
    expect(decided(new Answers().give(question, answered(set)))).toBeUndefined());

  const anew = { ...set, metadata: { ...set.metadata, uid: "anew" } };
  test.each([
    ["is gone", answered(undefined), "cannot adopt: ReplicaSet shop/web is gone"],
    [
      "is another one",
      answered(anew),
      `cannot adopt: ReplicaSet shop/web is gone: got uid anew, wanted ${set.metadata.uid}`,
    ],
    [
      "is being deleted",
      answered(going),
      `cannot adopt: ReplicaSet shop/web has just been deleted at ${deletionTimestamp}`,
    ],
    [
      "cannot be read",
      unanswered(newForbidden({ group: "apps", resource: "replicasets" }, "web", { detail: "no" })),
      'cannot adopt: replicasets.apps "web" is forbidden: no',
    ],
  ] as const)("is not trusted if it %s: it only releases, and looks again", (_name, answer, message) => {
    const decision = decided(new Answers().give(question, answer));
    expect(decision).toMatchObject({ kind: "plan", unfinished: { message } });
    expect(decision?.kind === "plan" && actionsOf(decision).map(printAction)).toEqual(["edit pods shop/q"]);
  });
});

function badSelector() {
  return { matchExpressions: [{ key: "app", operator: "Resembles", values: ["web"] }] };
}
