import { describe, expect, test } from "vitest";
import { jobs, pods, replicaSets } from "../api/generated/resources.ts";
import type { appsv1, batchv1, corev1 } from "../api/index.ts";
import { counter, create, editObject, inOrder, keyed, nothing, plan, remove, verbs } from "../contract/index.ts";
import { jobController } from "./contract/job.fixture.ts";
import { replicaController } from "./contract/replica.fixture.ts";
import { findPropertyFaults, type World } from "./controller-properties.ts";

function set(replicas: number): appsv1.ReplicaSet {
  const metadata = { namespace: "shop", name: "web", uid: "u" };
  const spec = { replicas, selector: {}, template: { spec: { containers: [] } } };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec };
}
function pod(name: string): corev1.Pod {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name, ownerReferences },
    spec: { containers: [] },
  };
}
const worlds: readonly World[] = [0, 1, 5].flatMap((replicas) =>
  [[], [pod("a")], [pod("a"), pod("b"), pod("c")]].map(
    (children): World => [
      [replicaSets, [set(replicas)]],
      [pods, children],
    ],
  ),
);

describe("controllers that are well", () => {
  for (const naming of ["generated", "ordinal"] as const) {
    test(`replicas with ${naming} names`, () =>
      expect(findPropertyFaults(replicaController(naming), worlds, { maxActions: 5 })).toEqual([]));
  }

  test("the job controller, whose status follows in a second plan", () => {
    const spec: batchv1.JobSpec = {
      parallelism: 2,
      completions: 4,
      selector: {},
      template: { spec: { containers: [] } },
    };
    const job: batchv1.Job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { namespace: "shop", name: "pi", uid: "j", resourceVersion: "1" },
      spec,
    };
    expect(findPropertyFaults(jobController, [[[jobs, [job]]]], { maxActions: 4, maxPlans: 3 })).toEqual([]);
  });
});

describe("controllers with a fault", () => {
  const faulty = (decide: Parameters<typeof keyed<appsv1.ReplicaSet>>[0]["decide"]) =>
    keyed<appsv1.ReplicaSet>({
      name: "faulty",
      primary: replicaSets,
      writes: [verbs(pods, "create", "delete")],
      observe: (key, { snapshot }) => snapshot.get(replicaSets, key),
      decide,
    });
  const one: readonly World[] = [[[replicaSets, [set(2)]]]];

  test("one that makes another pod each time is not idempotent", () => {
    const faults = findPropertyFaults(
      faulty(() => plan("more", [[create(pods, pod("x"))]])),
      one,
      { maxActions: 5 },
    );
    expect(faults).toEqual(["world 1, faulty shop/web: not idempotent: after 1 plans still create pods shop/x"]);
  });

  test("one that removes what the server fills in is not idempotent", () => {
    const template = { spec: { containers: [{ name: "web", image: "web:1" }] } };
    const eager = keyed<appsv1.ReplicaSet>({
      name: "eager",
      primary: replicaSets,
      writes: [verbs(replicaSets, "patch")],
      observe: (key, { snapshot }) => snapshot.get(replicaSets, key),
      decide(found) {
        const edit = editObject(replicaSets, found, { ...found, spec: { ...found.spec, template } });
        return edit === undefined ? nothing("so it is") : plan("make it so", [[edit]]);
      },
    });
    expect(findPropertyFaults(eager, [[[replicaSets, [set(1)]]]], { maxActions: 1 })).toEqual([
      "world 1, eager shop/web: not idempotent: after 1 plans still edit replicasets.apps shop/web",
    ]);
  });

  test("one that deletes what a finalizer holds sees it terminating", () => {
    const held = { ...pod("a"), metadata: { ...pod("a").metadata, finalizers: ["example.com/hold"] } };
    const seen: unknown[] = [];
    const remover = keyed<corev1.Pod>({
      name: "remover",
      primary: pods,
      writes: [verbs(pods, "delete")],
      observe: (key, { snapshot }) => snapshot.get(pods, key),
      decide(found) {
        seen.push(found.metadata.deletionTimestamp);
        const isOver = found.metadata.deletionTimestamp !== undefined;
        return isOver ? nothing("is going") : plan("remove it", [[remove(pods, "shop/a")]]);
      },
    });
    expect(findPropertyFaults(remover, [[[pods, [held]]]], { maxActions: 1 })).toEqual([]);
    expect(seen.slice(0, 2)).toEqual([undefined, "2030-01-01T00:00:00Z"]);
  });

  test("one that does what it does not declare is found out", () => {
    const undeclared = counter({ name: "undeclared_total", help: "Undeclared" });
    const faults = findPropertyFaults(
      faulty(() =>
        plan("x", [[inOrder(remove(replicaSets, "shop/web"), remove(pods, "shop/x"))]], {
          measures: [undeclared.inc()],
        }),
      ),
      one,
      { maxActions: 5 },
    );
    expect(faults.slice(0, 2)).toEqual([
      "world 1, faulty shop/web: not declared: delete replicasets.apps shop/web",
      "world 1, faulty shop/web: not declared: metric undeclared_total",
    ]);
  });

  test("one that does everything at once is not bounded", () => {
    const many = Array.from({ length: 9 }, (_, i) => remove(pods, `shop/${i}`));
    const [first] = findPropertyFaults(
      faulty(() => plan("all", [many])),
      one,
      { maxActions: 5 },
    );
    expect(first).toBe("world 1, faulty shop/web: not bounded: 9 actions where 5 are allowed");
  });

  test("one that trusts a field to be there is not total", () => {
    const faults = findPropertyFaults(
      faulty((seen) =>
        nothing(
          `${seen.spec?.template?.spec?.containers.length} ${(seen.spec as { replicas: number }).replicas.toFixed()}`,
        ),
      ),
      one,
      { maxActions: 5 },
    );
    expect(faults.map((fault) => fault.replace(/: [^:]*$/, ""))).toEqual([
      "world 1, faulty shop/web: not total, ReplicaSet shop/web without spec.replicas",
    ]);
  });
});
