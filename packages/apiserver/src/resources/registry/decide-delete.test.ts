import { type KubernetesObject, parseTime } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { DeleteOptions } from "../options/delete-options.ts";
import { checkPreconditions, decideDelete } from "./decide-delete.ts";

const nowMs = parseTime("2030-01-01T00:01:00Z");
const plain: DeleteOptions = {
  graceSeconds: undefined,
  uid: undefined,
  resourceVersion: undefined,
  propagation: undefined,
  orphanDependents: undefined,
  isDryRun: false,
};
const object = (metadata: object = {}): KubernetesObject => ({
  kind: "Thing",
  apiVersion: "v1",
  metadata: { name: "a", uid: "u", resourceVersion: "5", ...metadata },
});
const graceful = { gracePeriod: (_object: KubernetesObject, asked: number | undefined) => asked ?? 30 };

describe("what cannot be deleted gracefully", () => {
  for (const [fact, metadata, options, rules, outcome] of [
    ["goes at once", {}, {}, {}, { kind: "gone" }],
    [
      "waits for its finalizers",
      { finalizers: ["a.io/b"] },
      {},
      {},
      { finalizers: ["a.io/b"], deletionGracePeriodSeconds: 0 },
    ],
    [
      "waits for its dependents in the foreground",
      {},
      { propagation: "Foreground" },
      {},
      { finalizers: ["foregroundDeletion"] },
    ],
    ["waits until its dependents are orphaned", {}, { propagation: "Orphan" }, {}, { finalizers: ["orphan"] }],
    ["orphans by the old option", {}, { orphanDependents: true }, {}, { finalizers: ["orphan"] }],
    ["orphans where its kind does by itself", {}, {}, { propagation: "Orphan" }, { finalizers: ["orphan"] }],
    [
      "does not where the background is asked for",
      {},
      { propagation: "Background" },
      { propagation: "Orphan" },
      { kind: "gone" },
    ],
    ["keeps to what its finalizer says", { finalizers: ["orphan"] }, {}, {}, { finalizers: ["orphan"] }],
    [
      "swaps the finalizer for another policy",
      { finalizers: ["orphan"] },
      { propagation: "Foreground" },
      {},
      { finalizers: ["foregroundDeletion"] },
    ],
    [
      "goes when the background takes the last one away",
      { finalizers: ["foregroundDeletion"], deletionTimestamp: "2030-01-01T00:00:00Z" },
      { propagation: "Background" },
      {},
      { kind: "gone" },
    ],
    [
      "never looks at dependents if its kind has none",
      {},
      { propagation: "Foreground" },
      { propagation: "none" },
      { kind: "gone" },
    ],
    ["has a new generation", { finalizers: ["a.io/b"], generation: 3 }, {}, {}, { generation: 4 }],
    [
      "keeps the time at which it was first told",
      { finalizers: ["a.io/b"], deletionTimestamp: "2030-01-01T00:00:00Z", generation: 3 },
      {},
      {},
      { deletionTimestamp: "2030-01-01T00:00:00Z", generation: 3 },
    ],
  ] as const) {
    test(fact, () => {
      const decision = decideDelete(object(metadata), { ...plain, ...options }, { rules, nowMs });
      if ("kind" in outcome) expect(decision).toEqual(outcome);
      else expect(decision).toMatchObject({ kind: "marked", draft: { metadata: outcome } });
    });
  }
});

test("what had no generation gets none", () => {
  const decision = decideDelete(object({ finalizers: ["a.io/b"] }), plain, { rules: {}, nowMs });
  expect(decision.kind === "marked" && "generation" in decision.draft.metadata).toBe(false);
});

describe("what is deleted gracefully", () => {
  const going = { deletionTimestamp: "2030-01-01T00:01:20Z", deletionGracePeriodSeconds: 30 };
  for (const [fact, metadata, graceSeconds, kind, outcome] of [
    [
      "has its period",
      {},
      undefined,
      "marked",
      { deletionTimestamp: "2030-01-01T00:01:30Z", deletionGracePeriodSeconds: 30 },
    ],
    [
      "has the period that was asked for",
      {},
      5,
      "marked",
      { deletionTimestamp: "2030-01-01T00:01:05Z", deletionGracePeriodSeconds: 5 },
    ],
    [
      "is told before it goes at once",
      { generation: 1 },
      0,
      "gone",
      { deletionTimestamp: "2030-01-01T00:01:00Z", deletionGracePeriodSeconds: 0, generation: 2 },
    ],
    ["is not asked a second time", going, undefined, "already", {}],
    ["is not given longer", going, 60, "already", {}],
    [
      "can be hurried",
      going,
      15,
      "marked",
      { deletionTimestamp: "2030-01-01T00:01:05Z", deletionGracePeriodSeconds: 15 },
    ],
    [
      "can be hurried into the past only up to now",
      going,
      3,
      "marked",
      { deletionTimestamp: "2030-01-01T00:01:00Z", deletionGracePeriodSeconds: 1 },
    ],
    ["can be hurried to nothing", going, 0, "gone", { deletionGracePeriodSeconds: 0 }],
    ["waits for its finalizers even so", { ...going, finalizers: ["a.io/b"] }, 0, "marked", { finalizers: ["a.io/b"] }],
  ] as const) {
    test(fact, () => {
      const decision = decideDelete(object(metadata), { ...plain, graceSeconds }, { rules: graceful, nowMs });
      expect(decision.kind).toBe(kind);
      const draft =
        decision.kind === "marked" ? decision.draft : decision.kind === "gone" ? decision.marked : undefined;
      if (kind !== "already") expect(draft?.metadata).toMatchObject(outcome);
    });
  }
});

describe("preconditions", () => {
  for (const [fact, options, message] of [
    ["of the right uid hold", { uid: "u" }, undefined],
    ["of another uid do not", { uid: "x" }, "the UID in the precondition (x) does not match the UID in record (u)"],
    [
      "of another version do not",
      { resourceVersion: "4" },
      "the ResourceVersion in the precondition (4) does not match",
    ],
  ] as const) {
    test(fact, () => {
      const check = () => checkPreconditions(object(), { ...plain, ...options });
      if (message === undefined) expect(check).not.toThrow();
      else expect(check).toThrow(message);
    });
  }
});
