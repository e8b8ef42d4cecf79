import type { appsv1 } from "@kubeloop/core/api";
import { seededRandom } from "@kubeloop/core/base";
import { deployments, pods, replicaSets } from "@kubeloop/core/resources";
import { findPropertyFaults, type World } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newDeploymentController } from "./controller.ts";
import { maxSurgeOf, maxUnavailableOf } from "./sizes.ts";
import { labels, set, web } from "./worlds.fixture.ts";

/** With the server's defaults: a set that is made has them, too. */
const templateOf = (image: string) => ({
  metadata: { labels },
  spec: {
    containers: [
      {
        name: "main",
        image,
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  },
});

/** Deployments in all states with up to four sets of all sizes. */
function drawWorlds(count: number): readonly World[] {
  const random = seededRandom("deployments");
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  return Array.from({ length: count }, (): World => {
    const replicas = pick([0, 1, 2, 5, 10, 600]);
    const deployment = web({
      replicas,
      maxSurge: pick([0, 1, "25%", "100%"]),
      maxUnavailable: pick([0, 1, "25%"]),
      annotations: pick([{}, { note: "n" }, { "deprecated.deployment.rollback.to": "1" }]),
      spec: {
        template: templateOf(pick(["web:1", "web:2", "web:9"])),
        paused: pick([false, false, true]),
        revisionHistoryLimit: pick([0, 1, 10]),
        ...(pick([true, false, false]) ? { strategy: { type: "Recreate" } } : {}),
      },
      ...(pick([true, false])
        ? { status: { replicas, updatedReplicas: replicas, availableReplicas: replicas, observedGeneration: 7 } }
        : {}),
    });
    const sets = [1, 2, 3, 4].slice(0, pick([0, 1, 2, 4])).map((number): appsv1.ReplicaSet => {
      const size = pick([0, 0, 1, replicas, 7]);
      const owner = pick([true, true, false]) ? { owner: deployment } : {};
      const scaledFor = pick([undefined, [replicas, replicas] as const, [3, 4] as const]);
      return set(number, {
        spec: { replicas: size, template: templateOf(`web:${number}`) },
        replicas: size,
        available: pick([0, size]),
        ...(scaledFor === undefined ? {} : { scaledFor }),
        ...owner,
      });
    });
    return [
      [deployments, [deployment]],
      [replicaSets, sets],
      [pods, []],
    ];
  });
}

test("the deployment controller is declared, idempotent, bounded and total", () => {
  // A rollout of six hundred goes on only when pods become available, which nobody makes here; so few plans are enough.
  expect(findPropertyFaults(newDeploymentController(), drawWorlds(200), { maxActions: 20, maxPlans: 12 })).toEqual([]);
});

test("the worlds that were drawn may exceed and fall short of their replicas in all ways", () => {
  const drawn = drawWorlds(200).map(([first]) => first?.[1][0] as appsv1.Deployment);
  expect(new Set(drawn.map((each) => [maxSurgeOf(each) > 0, maxUnavailableOf(each) > 0].join()))).toHaveLength(4);
});
