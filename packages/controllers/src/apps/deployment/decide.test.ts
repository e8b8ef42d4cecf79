import { type appsv1, type corev1, keyOf } from "@kubeloop/core/api";
import { type Action, actionsOf, type Decision, liveGet, type Plan } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { Answers, answered, newPod } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { podTemplateHash } from "../../domain/pod-template-hash.ts";
import { decide, type Rollout } from "./decide.ts";
import type { Observed } from "./observe.ts";
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
  rollbackAnnotation,
} from "./revisions.ts";
import { ago, labels, now, nowMs, type SetFacts, set, templateOf, web } from "./worlds.fixture.ts";

interface Given extends Partial<Omit<Observed, "owned">> {
  /** Owned by the deployment, by number. */
  readonly sets?: Readonly<Record<number, SetFacts>>;
  readonly pods?: readonly corev1.Pod[];
  /** What a live read of the deployment finds; the deployment itself unless given. */
  readonly live?: appsv1.Deployment | undefined;
}

/** With a set of the deployment's own template, the second one, that was scaled for it. */
const current: SetFacts = { replicas: 3, scaledFor: [3, 4] };

function observedOf({ deployment = web(), sets = {}, orphans = [], pods = [] }: Given): Observed {
  const owned = Object.entries(sets).map(([number, facts]) => set(Number(number), { ...facts, owner: deployment }));
  return { deployment, owned, orphans, podsOf: () => pods, setNamed: () => undefined };
}

function decided(given: Given): Decision<Rollout> {
  const observed = observedOf(given);
  const live = "live" in given ? given.live : observed.deployment;
  const answers = new Answers().give(liveGet(deployments, keyOf(observed.deployment)), answered(live));
  return decide(observed, { nowMs, answer: (question) => answers.answer(question) });
}

const planned = (given: Given): Plan<Rollout> => {
  const decision = decided(given);
  if (decision.kind !== "plan") throw new Error(`is no plan, but ${decision.kind}`);
  return decision;
};

/** "create 3", "scale web-1 to 2", "edit web-1", "delete web-1", "Scaled up replica set web-1 from 0 to 2". */
function print(action: Action): string {
  switch (action.type) {
    case "create":
      return `create ${(action.object as appsv1.ReplicaSet).spec?.replicas}`;
    case "edit": {
      const { spec } = action.patch as { readonly spec?: { readonly replicas?: number } };
      const name = `${action.before.metadata.name}${action.subresource === undefined ? "" : "/status"}`;
      return spec?.replicas === undefined ? `edit ${name}` : `scale ${name} to ${spec.replicas}`;
    }
    case "delete":
      return `delete ${action.key.replace("shop/", "")}`;
    case "event":
      return `${action.reason}: ${action.message}`.replace("ScalingReplicaSet: ", "");
    default:
      return action.type;
  }
}
const actions = (given: Given) =>
  actionsOf(planned(given))
    .map(print)
    .map((text) => text.replace(`web-${hash}`, "it"));
const hash = podTemplateHash(templateOf("web:2"), undefined);
const none: readonly string[] = [];

const paused = { spec: { paused: true } };
const recreate = { spec: { strategy: { type: "Recreate" } } };
const complete = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 7 };
const askedFor = (revision: string, own = "2") =>
  web({ annotations: { [rollbackAnnotation]: revision, [revisionAnnotation]: own } });

describe("the deployment controller", () => {
  const rows: readonly (readonly [string, Given, readonly string[]])[] = [
    ["makes a set of its template", {}, ["create 3", "Scaled up replica set it from 0 to 3"]],
    ["makes one without pods where none are wanted", { deployment: web({ replicas: 0 }) }, ["create 0"]],
    ["leaves all alone when the newest set has all pods", { sets: { 2: current } }, none],
    [
      "makes a set as large as there is room, beside an old one",
      { sets: { 1: { replicas: 3, scaledFor: [3, 4] } } },
      ["create 1", "Scaled up replica set it from 0 to 1"],
    ],
    [
      "makes a set and shrinks the old ones at once, as far as they may be unavailable",
      { deployment: web({ maxUnavailable: 1 }), sets: { 1: { replicas: 3, scaledFor: [3, 4] } } },
      [
        "create 1",
        "Scaled up replica set it from 0 to 1",
        "scale web-1 to 2",
        "Scaled down replica set web-1 from 3 to 2",
      ],
    ],
    [
      "lets the newest set grow",
      { sets: { 1: { replicas: 2, scaledFor: [3, 4] }, 2: { replicas: 1, scaledFor: [3, 4] } } },
      ["scale web-2 to 2", "Scaled up replica set web-2 from 1 to 2"],
    ],
    [
      "lets the old sets shrink when nothing grows",
      { sets: { 1: { replicas: 2, scaledFor: [3, 4] }, 2: { replicas: 2, scaledFor: [3, 4] } } },
      ["scale web-1 to 1", "Scaled down replica set web-1 from 2 to 1"],
    ],
    [
      "takes the oldest of several sets with its template",
      { sets: { 2: { ...current, image: "web:2" }, 3: { replicas: 1, image: "web:2", scaledFor: [3, 4] } } },
      // And raises its revision above the other's.
      ["edit web-2", "scale web-3 to 0", "Scaled down replica set web-3 from 1 to 0"],
    ],
    [
      "gives an older set its new revision together with its size",
      {
        deployment: web({ image: "web:1" }),
        sets: { 1: { replicas: 0, scaledFor: [3, 4] }, 2: { replicas: 3, scaledFor: [3, 4] } },
      },
      ["scale web-1 to 1", "Scaled up replica set web-1 from 0 to 1"],
    ],
    [
      "scales sets in proportion when its size has changed, and rolls nothing out",
      {
        deployment: web({ replicas: 6, maxSurge: 2 }),
        sets: { 1: { replicas: 2, scaledFor: [3, 5] }, 2: { replicas: 3, scaledFor: [3, 5] } },
      },
      [
        "scale web-2 to 5",
        "Scaled up replica set web-2 from 3 to 5",
        "scale web-1 to 3",
        "Scaled up replica set web-1 from 2 to 3",
      ],
    ],
    [
      "makes no set for a new template when its size has changed, too",
      { deployment: web({ replicas: 5 }), sets: { 1: { replicas: 3, scaledFor: [3, 4] } } },
      ["scale web-1 to 5", "Scaled up replica set web-1 from 3 to 5"],
    ],
    ["makes no set while it is paused", { deployment: web(paused), sets: { 1: current } }, none],
    [
      "is scaled while it is paused",
      { deployment: web({ ...paused, replicas: 4 }), sets: { 1: current } },
      ["scale web-1 to 4", "Scaled up replica set web-1 from 3 to 4"],
    ],
    ["makes no set while it is being deleted", { deployment: web({ metadata: { deletionTimestamp: now } }) }, none],
    [
      "recreates: stops the old pods first",
      { deployment: web(recreate), sets: { 1: { replicas: 2, scaledFor: [3, 3] }, 3: { replicas: 0 } } },
      ["scale web-1 to 0", "Scaled down replica set web-1 from 2 to 0"],
    ],
    ["recreates: waits while old pods are counted", { deployment: web(recreate), sets: { 1: { pods: 1 } } }, none],
    [
      "recreates: waits while an old pod runs",
      { deployment: web(recreate), sets: { 1: {} }, pods: [newPod("shop/p", { status: { phase: "Running" } })] },
      none,
    ],
    [
      "recreates: makes its set when all have ended",
      { deployment: web(recreate), sets: { 1: {} }, pods: [newPod("shop/p", { status: { phase: "Failed" } })] },
      ["create 3", "Scaled up replica set it from 0 to 3"],
    ],
    [
      "recreates: scales a set that has its template",
      { deployment: web(recreate), sets: { 1: {}, 2: { replicas: 0 } } },
      ["scale web-2 to 3", "Scaled up replica set web-2 from 0 to 3"],
    ],
    [
      "warns of a selector that selects all pods, and does nothing",
      { deployment: web({ spec: { selector: {} } }) },
      ["SelectingAll: This deployment is selecting all pods. A non-empty selector is required.", "edit web/status"],
    ],
    [
      "says so once more when its generation was seen",
      { deployment: web({ spec: { selector: {} }, status: { observedGeneration: 7 } }) },
      ["SelectingAll: This deployment is selecting all pods. A non-empty selector is required."],
    ],
    ["adopts a set with its template", { orphans: [set(2, current)] }, ["edit web-2"]],
    [
      "adopts a set with another template, and makes its own",
      { orphans: [set(1, { replicas: 3, scaledFor: [3, 4] })] },
      ["edit web-1", "create 1", "Scaled up replica set it from 0 to 1"],
    ],
    [
      "leaves orphans alone that it does not select",
      { sets: { 2: current }, orphans: [set(1, { metadata: { labels: {} } })] },
      none,
    ],
    [
      "releases a set that it selects no longer",
      { sets: { 1: { metadata: { labels: {} } }, 2: current } },
      ["edit web-1"],
    ],
    [
      "gives its newest set its annotations and minReadySeconds",
      { deployment: web({ annotations: { note: "n" }, spec: { minReadySeconds: 5 } }), sets: { 2: current } },
      ["edit web-2"],
    ],
    [
      "rolls back to a revision, when it was asked to",
      { deployment: askedFor("1"), sets: { 1: {}, 2: current } },
      ["edit web", 'DeploymentRollback: Rolled back deployment "web" to revision 1'],
    ],
    [
      "rolls back to the last revision",
      { deployment: askedFor("0"), sets: { 1: {}, 2: current } },
      ["edit web", 'DeploymentRollback: Rolled back deployment "web" to revision 1'],
    ],
    [
      "does not roll back to a revision that is not there",
      { deployment: askedFor("7"), sets: { 1: {}, 2: current } },
      ["DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.", "edit web"],
    ],
    [
      "does not roll back where there is no last revision",
      { deployment: askedFor("0"), sets: { 2: current } },
      ["DeploymentRollbackRevisionNotFound: Unable to find last revision.", "edit web"],
    ],
    [
      "does not roll back to its own template",
      { deployment: askedFor("2"), sets: { 1: {}, 2: current } },
      [
        'DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
        "edit web",
      ],
    ],
    [
      "makes its newest set before it rolls back",
      { deployment: askedFor("1", "1"), sets: { 1: { replicas: 3 } } },
      ["create 1", "Scaled up replica set it from 0 to 1"],
    ],
    ["gets its revision before it rolls back", { deployment: askedFor("1", "1"), sets: { 1: {}, 2: current } }, none],
    ["ignores a rollback that cannot be read", { deployment: askedFor("first"), sets: { 2: current } }, none],
    [
      "does not roll back while it is paused",
      { deployment: web({ ...paused, annotations: { [rollbackAnnotation]: "1" } }), sets: { 1: {}, 2: current } },
      none,
    ],
  ];
  test.each(rows)("%s", (_name, given, expected) => expect(actions(given)).toEqual(expected));
});

describe("old sets that the history has no room for", () => {
  const kept = (revisionHistoryLimit: number, more: object = {}) =>
    web({ spec: { revisionHistoryLimit }, status: complete, ...more });
  const sets = { 1: {}, 2: current, 3: { image: "web:0" }, 4: { image: "web:9" } };
  // Its own revision is above theirs.
  const newest = { ...current, annotations: { [revisionAnnotation]: "9" } };
  const rows: readonly (readonly [string, Given, readonly string[]])[] = [
    [
      "are deleted, the lowest revision first",
      { deployment: kept(1), sets: { ...sets, 2: newest } },
      ["delete web-1", "delete web-3"],
    ],
    ["are all deleted without a history", { deployment: kept(0), sets: { 1: {}, 2: newest } }, ["delete web-1"]],
    ["stay while there is room", { deployment: kept(3), sets: { ...sets, 2: newest } }, none],
    ["stay where the history has no end", { deployment: kept(2_147_483_647), sets: { ...sets, 2: newest } }, none],
    ["stay while they have pods", { deployment: kept(0), sets: { 1: { pods: 1 }, 2: newest } }, none],
    [
      "stay until their size was seen",
      {
        deployment: kept(0),
        sets: { 1: { metadata: { generation: 9 }, status: { observedGeneration: 8 } }, 2: newest },
      },
      none,
    ],
    [
      "are not counted when they are being deleted",
      { deployment: kept(1), sets: { 1: { metadata: { deletionTimestamp: now } }, 2: newest, 3: {} } },
      none,
    ],
    [
      "stay while the rollout is not complete",
      { deployment: kept(0, { status: { ...complete, updatedReplicas: 2 } }), sets: { 1: {}, 2: newest } },
      none,
    ],
    [
      "are deleted while it is paused",
      {
        deployment: kept(0, { spec: { paused: true, revisionHistoryLimit: 0 }, status: {} }),
        sets: { 1: {}, 2: newest },
      },
      ["delete web-1"],
    ],
    [
      "stay while a rollback is asked for",
      {
        deployment: web({
          annotations: { [rollbackAnnotation]: "1" },
          spec: { paused: true, revisionHistoryLimit: 0 },
        }),
        sets: { 1: {}, 2: newest },
      },
      none,
    ],
    [
      "are deleted when it recreates",
      {
        deployment: web({ spec: { revisionHistoryLimit: 0, strategy: { type: "Recreate" } }, status: complete }),
        sets: { 1: {}, 2: newest },
      },
      ["delete web-1"],
    ],
  ];
  test.each(rows)("%s", (_name, given, expected) => expect(actions(given)).toEqual(expected));

  test("may be gone already", () => {
    const [removal] = actionsOf(planned({ deployment: kept(0), sets: { 1: {}, 2: newest } }));
    expect(removal).toMatchObject({ type: "delete", tolerates: ["NotFound", "Conflict"] });
  });
});

describe("a set that is made", () => {
  const madeOf = (deployment: appsv1.Deployment, sets: Given["sets"] = {}) => {
    const [action] = actionsOf(planned({ deployment, sets }));
    return action?.type === "create" ? (action.object as appsv1.ReplicaSet) : undefined;
  };

  test("has the template, the selector and the labels with the hash, and the deployment as its controller", () => {
    const deployment = web({ annotations: { note: "n" }, spec: { minReadySeconds: 5 } });
    const hashed = { ...labels, "pod-template-hash": hash };
    expect(madeOf(deployment, { 1: { replicas: 0 } })).toEqual({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        namespace: "shop",
        name: `web-${hash}`,
        labels: hashed,
        annotations: {
          note: "n",
          [revisionAnnotation]: "2",
          [desiredReplicasAnnotation]: "3",
          [maxReplicasAnnotation]: "4",
        },
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "Deployment",
            name: "web",
            uid: deployment.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        replicas: 3,
        minReadySeconds: 5,
        selector: { matchLabels: hashed },
        template: { ...templateOf("web:2"), metadata: { labels: hashed } },
      },
    });
  });

  test("is named by the collisions, too", () => {
    const collided = web({ status: { collisionCount: 2 } });
    expect(madeOf(collided)?.metadata.name).toBe(`web-${podTemplateHash(templateOf("web:2"), 2)}`);
  });

  test("keeps its hash where the name would be too long", () => {
    const deployment = web({ metadata: { name: "w".repeat(253) } });
    expect(madeOf(deployment)?.metadata.name).toBe(`${"w".repeat(253 - 1 - hash.length)}-${hash}`);
  });

  test("keeps expressions of the selector", () => {
    const matchExpressions = [{ key: "app", operator: "Exists" }];
    const made = madeOf(web({ spec: { selector: { matchExpressions } } }));
    expect(made?.spec?.selector).toEqual({ matchExpressions, matchLabels: { "pod-template-hash": hash } });
  });

  test("may be refused because the namespace is being deleted", () => {
    expect(actionsOf(planned({}))[0]).toMatchObject({ tolerates: ["NamespaceTerminating"] });
  });

  test("has the hash of a template that was sent, after a pause", () => {
    const template = {
      ...templateOf("web:2"),
      spec: { ...templateOf("web:2").spec, volumes: [{ name: "v", emptyDir: { sizeLimit: "8Gi" } }] },
    };
    const conditions = [{ type: "Progressing", status: "Unknown", reason: "DeploymentPaused" }];
    const resumed = web({ spec: { template }, status: { conditions } });
    expect(madeOf(resumed)?.metadata.name).toBe(`web-${podTemplateHash(template, undefined, { isAsSent: true })}`);
    expect(madeOf(web({ spec: { template } }))?.metadata.name).toBe(`web-${podTemplateHash(template, undefined)}`);
  });
});

describe("an edit of a set", () => {
  const patchOf = (given: Given) => {
    const [edit] = actionsOf(planned(given));
    return edit?.type === "edit" ? edit.patch : undefined;
  };

  test("writes its size, and for which size of the deployment it is", () => {
    const given = { deployment: web({ replicas: 5 }), sets: { 2: current } };
    expect(patchOf(given)).toEqual({
      metadata: { annotations: { [desiredReplicasAnnotation]: "5", [maxReplicasAnnotation]: "6" } },
      spec: { replicas: 5 },
    });
  });

  test("writes revision, history and size at once when an older set is used again", () => {
    const sets = { 1: { replicas: 0, scaledFor: [3, 4] as const }, 2: { replicas: 3, scaledFor: [3, 4] as const } };
    expect(patchOf({ deployment: web({ image: "web:1" }), sets })).toEqual({
      metadata: { annotations: { [revisionAnnotation]: "3", [revisionHistoryAnnotation]: "1" } },
      spec: { replicas: 1 },
    });
  });

  test("of annotations alone comes before all others", () => {
    const deployment = web({ annotations: { note: "n" } });
    const sets = { 1: { replicas: 2, scaledFor: [3, 4] as const }, 2: { replicas: 2, scaledFor: [3, 4] as const } };
    expect(actions({ deployment, sets }).slice(0, 2)).toEqual(["edit web-2", "scale web-1 to 1"]);
  });

  test("begins where the one before it ended", () => {
    const deployment = web({ replicas: 10, maxSurge: 0, maxUnavailable: 2, image: "web:9" });
    const [first, , second] = actionsOf(
      planned({
        deployment,
        sets: {
          1: { replicas: 10, available: 9, scaledFor: [10, 10] },
          9: { replicas: 0, scaledFor: [10, 10] },
        },
      }),
    );
    expect([first, second].map((each) => (each === undefined ? "" : print(each)))).toEqual([
      "scale web-1 to 9",
      "scale web-1 to 8",
    ]);
    if (second?.type === "edit") expect((second.before as appsv1.ReplicaSet).spec?.replicas).toBe(9);
  });
});

test("a rollback restores the template, and the annotations of that revision", () => {
  const deployment = web({
    annotations: { note: "second", other: "x", [rollbackAnnotation]: "1", [revisionAnnotation]: "2" },
  });
  const sets = {
    1: {
      annotations: { note: "first" },
      spec: { template: { ...templateOf("web:1"), metadata: { labels: { ...labels, "pod-template-hash": "h" } } } },
    },
    2: { ...current, annotations: { note: "second", other: "x" } },
  };
  const [edit] = actionsOf(planned({ deployment, sets }));
  // The deployment's own annotations stay, its revision among them.
  expect(JSON.stringify(edit?.type === "edit" ? edit.patch : edit)).not.toContain(revisionAnnotation);
  // The hash stays with the set.
  expect(JSON.stringify(edit?.type === "edit" ? edit.patch : edit)).not.toContain("pod-template-hash");
  expect(edit).toMatchObject({
    type: "edit",
    subresource: undefined,
    patch: {
      metadata: { annotations: { note: "first", other: null, [rollbackAnnotation]: null } },
      spec: { template: { spec: { containers: [{ name: "main", image: "web:1" }] } } },
    },
  });
});

describe("adoption", () => {
  test("asks for the deployment first", () => {
    const seen = observedOf({ orphans: [set(2, current)] });
    expect(decide(seen, { nowMs, answer: () => undefined })).toMatchObject({
      kind: "ask",
      questions: [liveGet(deployments, "shop/web")],
    });
  });

  test.each([
    ["gone", undefined],
    ["another one", web({ metadata: { uid: "anew" } })],
    ["being deleted", web({ metadata: { deletionTimestamp: now } })],
  ])("fails, and makes nothing, when the deployment is %s", (_name, live) => {
    const plan = planned({ orphans: [set(2, current)], live });
    expect(actionsOf(plan)).toEqual([]);
    expect(plan.unfinished?.message).toMatch(/^cannot adopt: /);
  });
});

describe("it fails, and does nothing,", () => {
  test.each([
    [
      "when its selector cannot be read",
      { selector: { matchExpressions: [{ key: "a", operator: "Nonsense" }] } },
      /invalid label selector/,
    ],
    [
      "when its strategy is not known",
      { strategy: { type: "Nonsense" } },
      /^unexpected deployment strategy type: Nonsense$/,
    ],
  ])("%s", (_fact, spec, message) => {
    const plan = planned({ deployment: web({ spec }), sets: { 1: { replicas: 3, scaledFor: [3, 4] } } });
    expect(actionsOf(plan)).toEqual([]);
    expect(plan.unfinished?.message).toMatch(message);
  });
});

describe("the report is told", () => {
  test.each([
    ["to renew all during a rollout", {}, "all"],
    ["to renew counts while it is paused", { deployment: web(paused) }, "counts"],
    ["to renew counts when it is scaled", { deployment: web({ replicas: 9 }), sets: { 2: current } }, "counts"],
    [
      "to renew counts while it is being deleted",
      { deployment: web({ metadata: { deletionTimestamp: ago(1) } }) },
      "counts",
    ],
    ["to renew the revision before a rollback", { deployment: askedFor("1", "1"), sets: { 2: current } }, "revision"],
  ] as const)("%s", (_fact, given, reports) => expect(planned(given).notes?.reports).toBe(reports));

  test("how the plan leaves the sets", () => {
    const { notes } = planned({
      deployment: web({ maxUnavailable: 1 }),
      sets: { 1: { replicas: 3, scaledFor: [3, 4] } },
    });
    expect(notes?.newSet?.spec?.replicas).toBe(1);
    expect(notes?.oldSets.map(({ spec }) => spec?.replicas)).toEqual([2]);
    expect(notes?.creation?.type).toBe("create");
  });
});
