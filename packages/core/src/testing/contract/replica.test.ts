import { describe, expect, test } from "vitest";
import { pods, replicaSets } from "../../api/generated/resources.ts";
import { type appsv1, withFaults } from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import { type Naming, replicaController } from "./replica.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

function set(replicas: number, name = "web"): appsv1.ReplicaSet {
  const template = { spec: { containers: [] } };
  const spec = { replicas, selector: {}, template };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "shop", name }, spec };
}

function onStage(naming: Naming, options: Partial<StageOptions> = {}) {
  return new Stage(replicaController(naming), {
    resources: [pods, replicaSets],
    objects: [[replicaSets, set(3)]],
    ...options,
  });
}

const scale = (replicas: number) => (object: appsv1.ReplicaSet) =>
  ({ ...object, spec: set(replicas).spec }) as appsv1.ReplicaSet;

for (const naming of ["generated", "ordinal"] as const) {
  describe(`children with ${naming} names`, () => {
    test("as many as wanted are made", async () => {
      await using stage = onStage(naming);
      await stage.clock.advance(1000);
      expect(stage.list(pods)).toHaveLength(3);
    });

    test("one that is lost is replaced, one too many is taken away", async () => {
      await using stage = onStage(naming);
      await stage.clock.advance(1000);
      const [first] = stage.list(pods);
      stage.server.server.delete(pods, `shop/${first?.metadata.name}`);
      await stage.clock.advance(1000);
      expect(stage.list(pods)).toHaveLength(3);
      stage.edit(replicaSets, "shop/web", scale(1));
      await stage.clock.advance(1000);
      expect(stage.list(pods)).toHaveLength(1);
    });

    test("while the cache is behind, nothing more is made", async () => {
      await using stage = onStage(naming);
      await stage.clock.settle();
      stage.server.server.pauseCache();
      stage.edit(replicaSets, "shop/web", scale(4));
      stage.server.server.resumeCache();
      stage.server.server.pauseCache();
      await stage.clock.advance(120_000);
      expect(stage.list(pods)).toHaveLength(4);
      // Even if the key is enqueued again, it is not reconciled.
      stage.driver.wake("shop/web");
      await stage.clock.advance(120_000);
      expect(stage.list(pods)).toHaveLength(4);
      stage.server.server.resumeCache();
      await stage.clock.advance(10_000);
      expect(stage.list(pods)).toHaveLength(4);
    });

    test("a create whose answer was lost is found on the server", async () => {
      await using stage = onStage(naming, {
        wrap: (transport, clock) =>
          withFaults(
            transport,
            [{ name: "lost", fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] }, nth: [1, 2] }],
            { clock, random: seededRandom(1) },
          ),
      });
      await stage.clock.settle();
      await stage.clock.advance(60_000);
      expect(stage.list(pods)).toHaveLength(3);
      expect(stage.metrics.print()).toMatch(/kubeloop_settling_reads_total\{controller="replica-controller"\} [1-9]/);
    });
  });
}
