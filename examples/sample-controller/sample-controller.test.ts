// Both styles of the sample controller do the same, in virtual time: a whole operator on a fake cluster.
import { type appsv1, isControlledBy } from "@kubeloop/core/api";
import { type Controller, clusterRole } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { Manager } from "@kubeloop/core/runtime";
import {
  FakeCluster,
  type FakeClusterOptions,
  findPropertyFaults,
  newDeployment,
  type ReceivedRequest,
  stored,
} from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import * as contractStyle from "./contract-style.ts";
import { newDeployment as wantedDeployment } from "./foo-deployment.ts";
import { type Foo, foos } from "./generated/samplecontroller.k8s.io/v1alpha1/foo.ts";
import * as reconcileStyle from "./reconcile-style.ts";

const apiVersion = "samplecontroller.k8s.io/v1alpha1";
const newFoo = (replicas = 1, deploymentName = "web"): Foo => ({
  apiVersion,
  kind: "Foo",
  metadata: { namespace: "shop", name: "a" },
  spec: { deploymentName, replicas },
});
const scaled = (replicas: number) => (foo: Foo) => ({ ...foo, spec: { ...foo.spec, replicas } });

function onCluster(controller: Controller, options: Partial<FakeClusterOptions> = {}): FakeCluster {
  const cluster = new FakeCluster({ resources: [foos, deployments], objects: [[foos, newFoo()]], ...options });
  const manager = new Manager(cluster.parts);
  manager.addController(controller);
  cluster.run((signal) => manager.run(signal));
  return cluster;
}

/** What a deployment controller would do. */
const available = (availableReplicas: number) => (deployment: appsv1.Deployment) => ({
  ...deployment,
  status: { availableReplicas },
});

/** A list of Deployments, or the watch that begins with what there is. */
const isInitialState = ({ verb, path, query }: ReceivedRequest) =>
  path.endsWith("/deployments") && (verb === "list" || query.some(([name]) => name === "sendInitialEvents"));

const web = (cluster: FakeCluster) => cluster.get(deployments, "shop/web");
const synced = "Normal Synced: Foo synced successfully";

for (const [style, { fooController }] of [
  ["reconcile style", reconcileStyle],
  ["contract style", contractStyle],
] as const) {
  describe(style, () => {
    test("makes the Deployment that is missing, owned by the Foo, and tells", async () => {
      await using cluster = onCluster(fooController);
      const made = await cluster.eventually(() => web(cluster));
      expect(made.spec).toMatchObject(wantedDeployment({ ...newFoo(), metadata: { name: "a", uid: "1" } }).spec);
      expect(isControlledBy(made, cluster.get(foos, "shop/a") as Foo)).toBe(true);
      await cluster.eventually(() => cluster.events.length > 0);
      expect(cluster.events).toEqual([synced]);
    });

    test("scales it when the Foo does, and writes nothing but that", async () => {
      await using cluster = onCluster(fooController);
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status);
      cluster.writes.length = 0;
      cluster.edit(foos, "shop/a", scaled(5));
      await cluster.eventually(() => web(cluster)?.spec.replicas === 5);
      await cluster.clock.advance(60_000);
      expect(cluster.writes).toEqual(["patch deployments shop/web"]);
      expect(cluster.repeatedWrites).toEqual([]);
    });

    test("scales it back when somebody else scales it, and leaves all else of it alone", async () => {
      await using cluster = onCluster(fooController);
      await cluster.eventually(() => web(cluster));
      const paused = { replicas: 9, paused: true };
      cluster.edit(deployments, "shop/web", (before) => ({ ...before, spec: { ...before.spec, ...paused } }));
      await cluster.eventually(() => web(cluster)?.spec.replicas === 1);
      expect(web(cluster)?.spec.paused).toBe(true);
    });

    test("status follows the Deployment's", async () => {
      await using cluster = onCluster(fooController);
      await cluster.eventually(() => web(cluster));
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status?.availableReplicas === 0);
      cluster.edit(deployments, "shop/web", available(1));
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status?.availableReplicas === 1);
      cluster.edit(deployments, "shop/web", available(0));
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status?.availableReplicas === 0);
      expect(cluster.get(foos, "shop/a")?.spec).toEqual(newFoo().spec);
    });

    test("makes a deleted Deployment anew", async () => {
      await using cluster = onCluster(fooController);
      const first = await cluster.eventually(() => web(cluster));
      cluster.delete(deployments, first);
      const second = await cluster.eventually(() => web(cluster));
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
    });

    test("makes anew what was deleted while nobody was watching: a tombstone wakes the owner, too", async () => {
      await using cluster = onCluster(fooController);
      const first = await cluster.eventually(() => web(cluster));
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status);
      await cluster.clock.advance(60_000);
      // All watches break, the Deployment goes, and its deletion is no longer in anybody's history: only a list shows it.
      cluster.server.endWatches("reset");
      cluster.delete(deployments, first);
      cluster.server.compact();
      const asked = cluster.server.requests.length;
      const second = await cluster.eventually(() => web(cluster));
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(cluster.server.requests.slice(asked).filter(isInitialState)).not.toEqual([]);
    });

    for (const [fact, owner] of [
      ["that nobody controls", undefined],
      ["of another owner", { apiVersion, kind: "Foo", name: "b", uid: "b", controller: true }],
      [
        "of a Foo of the same name that was deleted",
        { apiVersion, kind: "Foo", name: "a", uid: "old", controller: true },
      ],
    ] as const) {
      test(`refuses a Deployment ${fact}, with an event, and takes its place once it is gone`, async () => {
        const ownerReferences = owner === undefined ? [] : [owner];
        const foreign = newDeployment("shop/web", { metadata: { ownerReferences }, spec: { replicas: 7 } });
        await using cluster = onCluster(fooController, {
          objects: [
            [deployments, foreign],
            [foos, newFoo()],
          ],
        });
        await cluster.eventually(() => cluster.events.length > 0);
        expect(cluster.events[0]).toMatch(
          /^Warning ErrResourceExists: Resource "web" already exists and is not managed by Foo/,
        );
        expect(web(cluster)?.spec.replicas).toBe(7);
        expect(cluster.get(foos, "shop/a")?.status).toBeUndefined();
        expect(cluster.writes).toEqual([]);
        cluster.delete(deployments, "shop/web");
        await cluster.eventually(() => web(cluster)?.spec.replicas === 1, { withinMs: 1_100_000 });
      });
    }

    test("given another name, it makes the new Deployment and removes the old one", async () => {
      await using cluster = onCluster(fooController);
      await cluster.eventually(() => web(cluster));
      cluster.edit(foos, "shop/a", (foo) => ({ ...foo, spec: { ...foo.spec, deploymentName: "site" } }));
      await cluster.eventually(() => web(cluster) === undefined);
      expect(cluster.list(deployments).map(({ metadata }) => metadata.name)).toEqual(["site"]);
      expect(cluster.writes.filter((write) => write.includes(" deployments "))).toEqual([
        "create deployments shop/web",
        "create deployments shop/site",
        "delete deployments shop/web",
      ]);
    });

    test("a Foo that is being deleted gets no Deployment", async () => {
      const metadata = { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["example.com/wait"] };
      const foo = { ...newFoo(), metadata: { ...newFoo().metadata, ...metadata } };
      await using cluster = onCluster(fooController, { objects: [[foos, foo]] });
      await cluster.clock.advance(60_000);
      expect(cluster.writes).toEqual([]);
    });

    test("in balance it writes nothing", async () => {
      await using cluster = onCluster(fooController);
      await cluster.eventually(() => cluster.get(foos, "shop/a")?.status);
      await cluster.clock.advance(3_600_000);
      expect(cluster.writes).toEqual(["create deployments shop/web", "patch foos/status shop/a"]);
    });

    test("answers that are lost, refusals and slow ones do not make it do anything twice", async () => {
      await using cluster = onCluster(fooController, {
        faults: [
          {
            name: "lost",
            fault: { kind: "reset", when: "after" },
            match: { verbs: ["create", "patch"] },
            nth: [1, 2, 4],
          },
          { name: "busy", fault: { kind: "status", code: 500 }, probability: 0.2 },
          { name: "slow", fault: { kind: "delay", delayMs: { minMs: 10, maxMs: 2000 }, when: "after" } },
        ],
      });
      await cluster.eventually(() => web(cluster), { withinMs: 600_000 });
      cluster.edit(foos, "shop/a", scaled(3));
      cluster.edit(deployments, "shop/web", available(1));
      await cluster.eventually(
        () => web(cluster)?.spec.replicas === 3 && cluster.get(foos, "shop/a")?.status?.availableReplicas === 1,
        { withinMs: 600_000 },
      );
      expect(new Set(cluster.injected.map(({ rule }) => rule))).toEqual(new Set(["lost", "busy", "slow"]));
      expect(cluster.writes.filter((write) => write.startsWith("create"))).toEqual(["create deployments shop/web"]);
    });
  });
}

test("the contract is idempotent, bounded and total", () => {
  const foo = stored(newFoo(2));
  const [mine, other] = [
    wantedDeployment(foo),
    wantedDeployment({ ...foo, spec: { ...foo.spec, deploymentName: "old" } }),
  ];
  const faults = findPropertyFaults(
    contractStyle.fooController,
    [
      [[foos, [foo]]],
      [
        [foos, [foo]],
        [deployments, [stored(mine)]],
      ],
      [
        [foos, [foo]],
        [deployments, [stored({ ...mine, spec: { ...mine.spec, replicas: 9 } }), stored(other)]],
      ],
      [
        [foos, [foo]],
        [deployments, [stored(newDeployment("shop/web"))]],
      ],
    ],
    { maxActions: 3, required: { Foo: ["spec", "spec.deploymentName", "spec.replicas"] } },
  );
  expect(faults).toEqual([]);
});

test("what the contract must be allowed to do follows from what it declares, and is no more than that", () => {
  const rules = (clusterRole(contractStyle.fooController).rules ?? []).map(
    ({ resources, verbs }) => `${resources}: ${verbs}`,
  );
  expect(rules).toEqual(["deployments: create,delete,patch", "foos/finalizers: update", "foos/status: patch"]);
});
