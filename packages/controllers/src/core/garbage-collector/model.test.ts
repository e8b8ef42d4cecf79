import type { KubernetesObject, metav1 } from "@kubeloop/core/api";
import type { Change } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { named, referenceTo } from "./collector.fixture.ts";
import { deletionOf, lookAgainMs, OwnerGraph, uidOfKey, virtualKey } from "./model.ts";

const pod = (name: string, more: Parameters<typeof named>[3] = {}) =>
  named("v1", "Pod", `shop/${name}`, { uid: name, ...more });
const add = (object: KubernetesObject): Change => ({ type: "add", object, resource: pods, isInitial: false });
const update = (before: KubernetesObject, object: KubernetesObject): Change => ({
  type: "update",
  before,
  object,
  resource: pods,
});
const remove = (object: KubernetesObject): Change => ({ type: "delete", object, resource: pods });
const graphOf = (...objects: readonly KubernetesObject[]) => {
  const graph = new OwnerGraph();
  for (const object of objects) graph.absorb(add(object));
  return graph;
};
const withOwners = (
  object: KubernetesObject,
  ...ownerReferences: readonly metav1.OwnerReference[]
): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences },
});
const deletionTimestamp = "2030-01-01T00:00:00Z";
const deleting = (object: KubernetesObject, ...finalizers: readonly string[]): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp, finalizers },
});
const blocked = (owner: KubernetesObject) => referenceTo(owner, { blockOwnerDeletion: true });
const namesOf = (nodes: Iterable<{ readonly identity: { readonly name: string } }>) =>
  [...nodes].map(({ identity }) => identity.name);

const owner = pod("owner");
const child = pod("child", { owners: [owner] });
const blocking = withOwners(pod("blocking"), blocked(owner));

describe("what a change wakes", () => {
  const waiting = deleting(owner, "foregroundDeletion");
  test.each<[string, readonly KubernetesObject[], Change, readonly unknown[]]>([
    ["an object without owners: nothing", [], add(owner), []],
    ["an object whose owner is known: nothing", [owner], add(child), []],
    ["an object whose owner is unknown: that, as a virtual node", [], add(child), ["virtual owner"]],
    ["a second one: nothing more", [child], add(pod("other", { owners: [owner] })), []],
    ["the owner itself, when it is shown: nothing", [child], add(owner), []],
    ["an owner that is gone: its dependents", [owner, child, blocking], remove(owner), ["child", "blocking"]],
    ["an object that is not in the graph and gone: nothing", [], remove(owner), []],
    ["a dependent that is gone: nothing, as long as the owner is not deleted", [owner, child], remove(child), []],
    [
      "the owner begins to wait: its dependents, and itself",
      [owner, child],
      update(owner, waiting),
      ["child", "owner"],
    ],
    ["it still waits, and is blocked: nothing", [waiting, blocking], update(waiting, waiting), []],
    // The watch may have been cut off while it stopped waiting and began again.
    ["it waits, or waits again, and nothing blocks it: itself", [waiting, child], update(waiting, waiting), ["owner"]],
    [
      "it orphans, or orphans again: the owner, in the other queue",
      [deleting(owner, "orphan"), child],
      update(deleting(owner, "orphan"), deleting(owner, "orphan")),
      [{ queue: "attemptToOrphan", key: "owner" }],
    ],
    ["it waits already when a list shows it: its dependents, and itself", [child], add(waiting), ["child", "owner"]],
    [
      "it waits still when another list shows it, as after its kind was away: both again",
      [waiting, child],
      add(waiting),
      ["child", "owner"],
    ],
    [
      "the last blocking dependent of a waiting owner is gone: the owner",
      [waiting, blocking],
      remove(blocking),
      ["owner"],
    ],
    [
      "a dependent of a waiting owner blocks no longer: the owner",
      [waiting, blocking],
      update(blocking, withOwners(blocking, referenceTo(owner))),
      ["owner"],
    ],
    [
      "a dependent of a waiting owner lets go of it: the owner",
      [waiting, blocking],
      update(blocking, withOwners(blocking)),
      ["owner"],
    ],
    [
      "a dependent of an owner that does not wait lets go of it: nothing",
      [owner, blocking],
      update(blocking, withOwners(blocking)),
      [],
    ],
    [
      "a dependent that begins to block a waiting owner: the dependent",
      [waiting, child],
      update(child, withOwners(child, blocked(owner))),
      ["child"],
    ],
    ["a new dependent of a waiting owner: the dependent", [waiting], add(child), ["child"]],
    ["the deletion begins otherwise: nothing", [owner, child], update(owner, deleting(owner, "example.com/x")), []],
    [
      "the deletion orphans: the owner, in the other queue",
      [owner, child],
      update(owner, deleting(owner, "orphan")),
      [{ queue: "attemptToOrphan", key: "owner" }],
    ],
    [
      "it orphans already when a list shows it: the owner, in the other queue",
      [child],
      add(deleting(owner, "orphan")),
      [{ queue: "attemptToOrphan", key: "owner" }],
    ],
    [
      "it has orphaned, and waits for dependents next: both",
      [deleting(owner, "orphan", "foregroundDeletion"), child],
      update(deleting(owner, "orphan", "foregroundDeletion"), waiting),
      ["child", "owner"],
    ],
    [
      "it is deleted in the foreground once more: both",
      [deleting(owner, "x/y"), child],
      update(deleting(owner, "x/y"), deleting(owner, "x/y", "foregroundDeletion")),
      ["child", "owner"],
    ],
    [
      "a reference by another name: the dependent",
      [owner],
      add(withOwners(pod("child"), referenceTo(owner, { name: "x" }))),
      ["child"],
    ],
    [
      "a reference by another version: the dependent",
      [owner],
      add(withOwners(pod("child"), referenceTo(owner, { apiVersion: "v2" }))),
      ["child"],
    ],
    ["a resync: nothing", [owner, child], { ...update(waiting, waiting), cause: "resync" } as Change, []],
    ["an object without uid: nothing", [], add({ ...child, metadata: { name: "x" } }), []],
  ])("%s", (_, before, change, expected) => {
    expect(graphOf(...before).absorb(change)).toEqual(expected);
  });
});

describe("the graph", () => {
  test("knows dependents, in both directions, however they are shown", () => {
    const [one, two, three, four] = [
      pod("1"),
      pod("2", { owners: [pod("1")] }),
      pod("3", { owners: [pod("1"), pod("2")] }),
      pod("4", { owners: [pod("2")] }),
    ];
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error("no pods");
    for (const order of [
      [one, two, three, four],
      [four, three, two, one],
    ]) {
      const graph = graphOf(...order);
      expect([namesOf(graph.dependentsOf("1")).toSorted(), namesOf(graph.dependentsOf("2")).toSorted()]).toEqual([
        ["2", "3"],
        ["3", "4"],
      ]);
      expect([...graph.nodes()].every(({ isVirtual }) => !isVirtual)).toBe(true);
      graph.absorb(remove(two));
      expect([namesOf(graph.dependentsOf("1")), graph.get("2")]).toEqual([["3"], undefined]);
    }
  });

  test("follows references that change", () => {
    const graph = graphOf(pod("1"), pod("2", { owners: [pod("1")] }), pod("4"));
    graph.absorb(update(pod("2", { owners: [pod("1")] }), pod("2", { owners: [pod("4")] })));
    expect([graph.hasDependents("1"), namesOf(graph.dependentsOf("4"))]).toEqual([false, ["2"]]);
  });

  test("knows whether some dependent blocks", () => {
    const graph = graphOf(owner, child);
    expect(graph.isBlocked("owner")).toBe(false);
    graph.absorb(add(blocking));
    expect(graph.isBlocked("owner")).toBe(true);
    graph.absorb(remove(blocking));
    expect(graph.isBlocked("owner")).toBe(false);
  });

  test("takes two references to one owner for blocking if one of them is", () => {
    const graph = graphOf(owner, withOwners(pod("child"), blocked(owner), referenceTo(owner)));
    expect(graph.isBlocked("owner")).toBe(true);
  });

  test("forgets a virtual node with its last dependent", () => {
    const graph = graphOf(child);
    expect(graph.size).toBe(2);
    graph.absorb(remove(child));
    expect(graph.size).toBe(0);
  });

  test("forgets dependents of an owner that is gone when they are gone", () => {
    const graph = graphOf(owner, child);
    graph.absorb(remove(owner));
    expect(graph.hasDependents("owner")).toBe(true);
    graph.absorb(remove(child));
    expect([graph.hasDependents("owner"), graph.size]).toEqual([false, 0]);
  });

  test("takes back an object that was thought to be gone, because a watch may lag behind", () => {
    const graph = graphOf(owner, child);
    graph.confirmAbsent({ apiVersion: "v1", kind: "Pod", namespace: "shop", name: "owner", uid: "owner" });
    expect(graph.get("owner")).toBeUndefined();
    graph.absorb(update(owner, owner));
    expect([graph.get("owner")?.isVirtual, namesOf(graph.dependentsOf("owner"))]).toEqual([false, ["child"]]);
  });
});

describe("an object that the server does not have", () => {
  const identity = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "owner", uid: "owner" };

  test("leaves the graph, is absent from then on, and its dependents are looked at", () => {
    for (const graph of [graphOf(child), graphOf(owner, child)]) {
      expect(graph.confirmAbsent(identity)).toEqual(["child"]);
      expect([graph.get("owner"), graph.absentOwners.has(identity)]).toEqual([undefined, true]);
    }
  });

  test("without dependents is not worth remembering", () => {
    const graph = graphOf(owner);
    expect(graph.confirmAbsent(identity)).toEqual([]);
    expect(graph.absentOwners.has(identity)).toBe(false);
  });

  test("under one of several names is looked for under the next, later each time", () => {
    const other = withOwners(pod("other"), referenceTo(owner, { kind: "Queue" }));
    const graph = graphOf(child, other);
    expect(graph.confirmAbsent(identity)).toEqual(["child", { key: "virtual owner", afterMs: 5 }]);
    expect(graph.get("owner")).toMatchObject({ identity: { kind: "Queue" }, isVirtual: true });
    expect(graph.confirmAbsent({ ...identity, kind: "Queue" })).toEqual([
      "other",
      { key: "virtual owner", afterMs: 10 },
    ]);
  });

  test("but that a watch has shown elsewhere stays", () => {
    const graph = graphOf(owner, withOwners(pod("other"), referenceTo(owner, { name: "x" })));
    expect(graph.confirmAbsent({ ...identity, name: "x" })).toEqual(["other"]);
    expect(graph.get("owner")?.isVirtual).toBe(false);
  });

  test("and that the graph does not have either changes nothing", () => {
    expect(new OwnerGraph().confirmAbsent(identity)).toEqual([]);
  });
});

describe("an owner with ten thousand dependents", () => {
  const children = Array.from({ length: 10_000 }, (_, i) => pod(`c${i}`, { owners: [owner] }));
  const grown = () => graphOf(owner, ...children);

  test.each<[string, Change]>([
    ["is gone", remove(owner)],
    ["begins to wait for them", update(owner, deleting(owner, "foregroundDeletion"))],
  ])("that %s adds a few hundred of them at a time, and each of them once", (_, change) => {
    const graph = grown();
    expect(graph.absorb(change).filter((wake) => wake !== "owner")).toEqual([{ queue: "graphChanges", key: "owner" }]);
    const told: string[] = [];
    let rounds = 0;
    for (; graph.isToTellDependents("owner"); rounds++) {
      const wakes = graph.nextDependents("owner").map((wake) => (typeof wake === "string" ? { key: wake } : wake));
      expect(wakes.length).toBeLessThanOrEqual(501);
      told.push(...wakes.filter(({ queue }) => queue === "attemptToDelete").map(({ key }) => key));
    }
    expect([told.length, new Set(told).size, rounds]).toEqual([10_000, 10_000, 21]);
    expect(graph.nextDependents("owner")).toEqual([]);
  });

  test("that is absent adds them so, too", () => {
    const graph = graphOf(...children);
    const identity = { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "owner", uid: "owner" };
    expect(graph.confirmAbsent(identity)).toEqual([{ queue: "graphChanges", key: "owner" }]);
  });

  test("skips those that are gone meanwhile", () => {
    const graph = grown();
    graph.absorb(remove(owner));
    graph.nextDependents("owner");
    for (const child of children.slice(600)) graph.absorb(remove(child));
    expect(graph.nextDependents("owner")).toHaveLength(100);
  });
});

test("a virtual node that was seen is looked for later and later", () => {
  const graph = graphOf(child);
  graph.noteSeen("owner");
  graph.noteSeen("owner");
  expect(graph.get("owner")?.looks).toBe(2);
  expect([0, 1, 2, 17, 18, 1000].map(lookAgainMs)).toEqual([5, 10, 20, 655_360, 1_000_000, 1_000_000]);
});

test("a refused deletion is remembered as long as the object is there", () => {
  const graph = graphOf(owner);
  graph.noteRefused("owner", "[]");
  expect(graph.refusedOwnersOf("owner")).toBe("[]");
  graph.absorb(remove(owner));
  graph.noteRefused("owner", "[]");
  expect(graph.refusedOwnersOf("owner")).toBeUndefined();
});

test.each<[metav1.ObjectMeta, string]>([
  [{}, "none"],
  [{ finalizers: ["orphan", "foregroundDeletion"] }, "none"],
  [{ deletionTimestamp }, "begun"],
  [{ deletionTimestamp, finalizers: ["x/y"] }, "begun"],
  [{ deletionTimestamp, finalizers: ["x/y", "foregroundDeletion"] }, "deletingDependents"],
  [{ deletionTimestamp, finalizers: ["orphan"] }, "orphaningDependents"],
  [{ deletionTimestamp, finalizers: ["foregroundDeletion", "orphan"] }, "orphaningDependents"],
])("the deletion of %j is %s", (metadata, expected) => expect(deletionOf(metadata)).toBe(expected));

test("a key names a uid, virtual or not", () => {
  expect([uidOfKey("u"), uidOfKey(virtualKey("u"))]).toEqual(["u", "u"]);
});
