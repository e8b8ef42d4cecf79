// What users see of the deployment controller. Each runs with the replicaset controller beside it; the kubelet's part is played here.
import { type appsv1, findCondition, isControlledBy, keyOf } from "@kubeloop/core/api";
import { deployments, pods, replicaSets, resourceQuotas } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { podTemplateHash } from "../../domain/pod-template-hash.ts";
import {
  listed,
  type Scenario,
  type ScenarioCluster,
  setReady,
  untilEvents,
} from "../../scenarios/scenario.contract.ts";
import { deploymentActions, labels, newWeb, rolling, templateOf } from "./deployment-actions.contract.ts";
import { revisionHistoryAnnotation, rollbackAnnotation } from "./revisions.ts";

/** What a set that was made by hand is called. */
const noRevision = "";
const available = { status: "True", reason: "MinimumReplicasAvailable" } as const;
const rolledOut = { status: "True", reason: "NewReplicaSetAvailable" } as const;

const newSet = (name: string, spec: Partial<appsv1.ReplicaSetSpec> = {}, metadata: object = {}): appsv1.ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name, labels, ...metadata },
  spec: { replicas: 0, selector: { matchLabels: labels }, template: templateOf(), ...spec },
});

export const deploymentScenarios: readonly Scenario[] = [
  {
    name: "a deployment makes a set, named by the hash of its template, and is available when its pods are",
    async run(cluster) {
      const { create, untilSizes, makeReady, untilStatus, untilCondition, untilRevision, get, ownSets } =
        deploymentActions(cluster);
      await create();
      await untilSizes({ 1: 3 });
      await untilCondition("Available", { status: "False", reason: "MinimumReplicasUnavailable" });
      await untilStatus({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
      await makeReady(1, 3);
      await untilStatus({ replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 });
      await untilCondition("Available", available);
      await untilCondition("Progressing", rolledOut);
      await untilRevision(1);
      const { spec } = await get();
      const hash = podTemplateHash(spec?.template ?? templateOf(), undefined);
      const [set] = await ownSets();
      expect(set?.metadata.name).toBe(`web-${hash}`);
      expect(set?.spec?.selector.matchLabels).toEqual({ ...labels, "pod-template-hash": hash });
      expect((await listed(cluster, pods)).map(({ metadata }) => metadata.labels?.["pod-template-hash"])).toEqual([
        hash,
        hash,
        hash,
      ]);
      await untilEvents(cluster, { ScalingReplicaSet: 1 });
    },
  },
  {
    name: "a new template is rolled out one pod at a time",
    async run(cluster) {
      const { create, untilSizes, makeReady, setImage, untilRolledOut, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 2 });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 2, 2: 1 });
      await untilStatus({ replicas: 3, updatedReplicas: 1, availableReplicas: 2, unavailableReplicas: 1 });
      await makeReady(2, 1);
      await untilSizes({ 1: 1, 2: 2 });
      await makeReady(2, 1);
      await untilSizes({ 2: 2 });
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 5 });
    },
  },
  {
    name: "maxSurge and maxUnavailable are shares of the replicas, rounded up and down",
    async run(cluster) {
      const { create, untilSizes, makeReady, setImage, untilRolledOut, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 5, strategy: rolling("25%", "25%") });
      await untilRolledOut();
      await setImage("example.com/web:2");
      // Two more, one fewer.
      await untilSizes({ 1: 4, 2: 3 });
      await untilStatus({ replicas: 7, updatedReplicas: 3, availableReplicas: 4 });
      await makeReady(2, 1);
      await untilSizes({ 1: 3, 2: 4 });
      await makeReady(2, 1);
      await untilSizes({ 1: 2, 2: 5 });
      await makeReady(2, 1);
      await untilSizes({ 1: 1, 2: 5 });
      await makeReady(2, 1);
      await untilSizes({ 2: 5 });
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 10 });
    },
  },
  {
    name: "when both shares round to zero, one pod may be unavailable",
    async run(cluster) {
      const { create, untilSizes, makeReady, setImage, untilRolledOut, untilCondition } = deploymentActions(cluster);
      await create({ replicas: 1, strategy: rolling("0%", "10%") });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 2: 1 });
      await untilCondition("Available", available);
      await makeReady(2, 1);
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 3 });
    },
  },
  {
    name: "a rollout is interrupted by another one: pods that are not ready go first",
    async run(cluster) {
      const { create, untilSizes, setImage, untilRolledOut, makeReady, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 3, strategy: rolling(1, 1) });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 2, 2: 2 });
      await untilStatus({ replicas: 4, updatedReplicas: 2, availableReplicas: 2 });
      await setImage("example.com/web:3");
      await untilSizes({ 1: 2, 3: 2 });
      await makeReady(3, 1);
      await untilSizes({ 1: 1, 3: 3 });
      await makeReady(3, 1);
      await untilSizes({ 3: 3 });
      await untilRolledOut();
    },
  },
  {
    name: "an older template gets its old set back, with a new revision",
    async run(cluster) {
      const {
        create,
        untilSizes,
        makeReady,
        setImage,
        untilSeenRolling,
        untilRolledOut,
        untilRevision,
        setOf,
        ownSets,
      } = deploymentActions(cluster);
      await create({ replicas: 1 });
      await untilRolledOut();
      const first = await setOf(1);
      await setImage("example.com/web:2");
      await untilRolledOut();
      await untilSizes({ 2: 1 });
      await setImage("example.com/web:1");
      await untilSizes({ 2: 1, 3: 1 });
      await untilSeenRolling();
      await makeReady(3, 1);
      await untilSizes({ 3: 1 });
      await untilRolledOut();
      await untilRevision(3);
      const again = await setOf(3);
      expect(again?.metadata.uid).toBe(first?.metadata.uid);
      expect(again?.metadata.annotations?.[revisionHistoryAnnotation]).toBe("1");
      expect(await ownSets()).toHaveLength(2);
      await untilEvents(cluster, { ScalingReplicaSet: 5 });
    },
  },
  {
    name: "a rollback that is asked for by annotation takes the template and annotations of that revision",
    async run(cluster) {
      const { create, get, patch, untilSeenRolling, untilRolledOut, untilRevision, setOf } = deploymentActions(cluster);
      await create({ replicas: 1 }, { annotations: { "example.com/cause": "first" } });
      await untilRolledOut();
      await patch({
        metadata: { annotations: { "example.com/cause": "second" } },
        spec: { template: templateOf("example.com/web:2") },
      });
      await untilRevision(2);
      await untilRolledOut();
      await patch({ metadata: { annotations: { [rollbackAnnotation]: "1" } } });
      await untilRevision(3);
      await untilSeenRolling();
      await untilRolledOut();
      const { metadata, spec } = await get();
      expect(metadata.annotations).toMatchObject({ "example.com/cause": "first" });
      expect(metadata.annotations).not.toHaveProperty([rollbackAnnotation]);
      expect(spec?.template.spec?.containers[0]?.image).toBe("example.com/web:1");
      expect((await setOf(2))?.metadata.annotations).toMatchObject({ "example.com/cause": "second" });
      await untilEvents(cluster, { DeploymentRollback: 1 });
    },
  },
  {
    name: "a rollback to the last revision, to one that is not there, and to the same template",
    async run(cluster) {
      const { create, get, patch, setImage, untilSeenRolling, untilRolledOut, untilRevision } =
        deploymentActions(cluster);
      const askFor = async (revision: string) => {
        await patch({ metadata: { annotations: { [rollbackAnnotation]: revision } } });
        await cluster.until("the annotation is gone", async () => {
          const { annotations = {} } = (await get()).metadata;
          return !(rollbackAnnotation in annotations);
        });
      };
      await create({ replicas: 1 });
      await untilRolledOut();
      await askFor("0");
      await untilEvents(cluster, { DeploymentRollbackRevisionNotFound: 1 });
      await setImage("example.com/web:2");
      await untilRolledOut();
      await untilRevision(2);
      await askFor("7");
      await untilEvents(cluster, { DeploymentRollbackRevisionNotFound: 2 });
      await askFor("2");
      await untilEvents(cluster, { DeploymentRollbackTemplateUnchanged: 1 });
      await askFor("0");
      await untilRevision(3);
      await untilSeenRolling();
      await untilRolledOut();
      expect((await get()).spec?.template.spec?.containers[0]?.image).toBe("example.com/web:1");
    },
  },
  {
    name: "replicas that are added in the midst of a rollout are shared out in proportion",
    async run(cluster) {
      const { create, untilSizes, setImage, untilRolledOut, untilStatus, scale, ownSets } = deploymentActions(cluster);
      await create({ replicas: 10, strategy: rolling(3, 2) });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 8, 2: 5 });
      await untilStatus({ replicas: 13, updatedReplicas: 5, availableReplicas: 8 });
      await scale(20);
      await untilSizes({ 1: 14, 2: 9 });
      for (const { metadata } of await ownSets()) {
        expect(metadata.annotations).toMatchObject({
          "deployment.kubernetes.io/desired-replicas": "20",
          "deployment.kubernetes.io/max-replicas": "23",
        });
      }
      await untilStatus({ replicas: 23, updatedReplicas: 9, availableReplicas: 8 });
      await untilEvents(cluster, { ScalingReplicaSet: 6 });
    },
  },
  {
    name: "replicas that are taken away in the midst of a rollout are shared out in proportion",
    async run(cluster) {
      const { create, untilSizes, makeReady, setImage, untilRolledOut, untilStatus, scale } =
        deploymentActions(cluster);
      await create({ replicas: 10, strategy: rolling(3, 2) });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 8, 2: 5 });
      await untilStatus({ replicas: 13, updatedReplicas: 5, availableReplicas: 8 });
      await scale(5);
      // Five and three first; then the rollout goes on.
      await untilSizes({ 1: 3, 2: 5 });
      await untilStatus({ replicas: 8, updatedReplicas: 5, availableReplicas: 3 });
      for (const left of [{ 1: 2 }, { 1: 1 }, {}]) {
        await makeReady(2, 1);
        await untilSizes({ ...left, 2: 5 });
      }
      await untilRolledOut();
    },
  },
  {
    name: "a deployment is scaled to nothing and back",
    async run(cluster) {
      const { create, untilSizes, untilRolledOut, untilStatus, scale } = deploymentActions(cluster);
      await create({ replicas: 2 });
      await untilRolledOut();
      await scale(0);
      await untilSizes({});
      await untilStatus({ replicas: 0, updatedReplicas: 0, availableReplicas: 0 });
      await scale(3);
      await untilSizes({ 1: 3 });
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 3 });
    },
  },
  {
    name: "a paused deployment is scaled but not rolled out, until it is resumed",
    async run(cluster) {
      const {
        create,
        pause,
        untilSizes,
        makeReady,
        untilRolledOut,
        untilStatus,
        untilCondition,
        patch,
        scale,
        ownSets,
      } = deploymentActions(cluster);
      await create({ replicas: 2 });
      await untilRolledOut();
      await pause();
      await untilCondition("Progressing", { status: "Unknown", reason: "DeploymentPaused" });
      // A size that Go holds without its text, unless it was sent before: a resumed deployment was.
      const volumes = [{ name: "tmp", emptyDir: { sizeLimit: "8Gi" } }];
      await patch({ spec: { template: templateOf("example.com/web:2", { volumes }) } });
      await untilStatus({ replicas: 2, updatedReplicas: 0 });
      await scale(3);
      await untilSizes({ 1: 3 });
      await untilStatus({ replicas: 3, updatedReplicas: 0 });
      expect(await ownSets()).toHaveLength(1);
      // The third one, too: only then it is known which pods go first.
      await makeReady(1, 1);
      await untilStatus({ replicas: 3, availableReplicas: 3 });
      await pause(false);
      for (const sizes of [
        { 1: 3, 2: 1 },
        { 1: 2, 2: 2 },
        { 1: 1, 2: 3 },
      ]) {
        await untilSizes(sizes);
        await makeReady(2, 1);
      }
      await untilSizes({ 2: 3 });
      await untilRolledOut();
    },
  },
  {
    name: "a rollout that is paused in its midst stays where it is",
    async run(cluster) {
      const { create, pause, untilSizes, untilRolledOut, setImage, untilCondition, makeReady, untilStatus } =
        deploymentActions(cluster);
      await create({ replicas: 2 });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 2, 2: 1 });
      await untilStatus({ replicas: 3, updatedReplicas: 1 });
      await pause();
      await untilCondition("Progressing", { status: "Unknown", reason: "DeploymentPaused" });
      await makeReady(2, 1);
      await untilStatus({ replicas: 3, updatedReplicas: 1, availableReplicas: 3 });
      await untilSizes({ 1: 2, 2: 1 });
      await pause(false);
      await untilSizes({ 1: 1, 2: 2 });
      await untilRolledOut();
    },
  },
  {
    name: "a rollout that makes no progress until its deadline is given up, and goes on when its pods recover",
    async run(cluster) {
      const { create, untilSizes, untilRolledOut, setImage, untilCondition, makeReady } = deploymentActions(cluster);
      await create({ replicas: 1, progressDeadlineSeconds: 2 });
      await untilRolledOut();
      await setImage("example.com/web:broken");
      await untilSizes({ 1: 1, 2: 1 });
      await untilCondition("Progressing", { status: "False", reason: "ProgressDeadlineExceeded" });
      await untilCondition("Available", available);
      await makeReady(2, 1);
      await untilSizes({ 2: 1 });
      await untilCondition("Progressing", rolledOut);
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 3 });
    },
  },
  {
    name: "the deadline counts from the last progress, minute by minute",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, untilSizes, untilRolledOut, setImage, untilCondition, makeReady } = deploymentActions(cluster);
      await create({ replicas: 2, progressDeadlineSeconds: 600 });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 2, 2: 1 });
      await cluster.pass(500_000);
      await makeReady(2, 1);
      await untilSizes({ 1: 1, 2: 2 });
      await cluster.pass(590_000);
      await untilCondition("Progressing", { status: "True", reason: "ReplicaSetUpdated" });
      if (!cluster.isDisturbed) await cluster.pass(12_000);
      await untilCondition("Progressing", { status: "False", reason: "ProgressDeadlineExceeded" });
      await makeReady(2, 1);
      await untilRolledOut();
    },
  },
  {
    name: "a deployment without a deadline says nothing of its progress",
    async run(cluster) {
      const { create, get, patch, untilRolledOut, untilCondition } = deploymentActions(cluster);
      await create({ replicas: 1, progressDeadlineSeconds: 2_147_483_647 });
      await untilRolledOut();
      expect((await get()).status?.conditions?.map(({ type }) => type)).toEqual(["Available"]);
      await patch({ spec: { progressDeadlineSeconds: 600 } });
      await untilCondition("Progressing", rolledOut);
    },
  },
  {
    name: "Recreate waits until no old pod runs any more",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilSizes, untilRolledOut, setImage, untilStatus, podsOf, ownSets } = deploymentActions(cluster);
      await create({ replicas: 2, strategy: { type: "Recreate" } });
      await untilRolledOut();
      const held = await podsOf(1);
      const allPods = client.resource(pods).in(namespace);
      const hold = (name = "", finalizers: readonly string[] | null) =>
        allPods.patch(name, { type: "merge", body: { metadata: { finalizers } } }, signal);
      for (const { metadata } of held) await hold(metadata.name, ["example.com/held"]);
      await setImage("example.com/web:2");
      await untilSizes({});
      await untilStatus({ replicas: 0, updatedReplicas: 0, terminatingReplicas: 2 });
      expect(await ownSets()).toHaveLength(1);
      await hold(held[0]?.metadata.name, null);
      await untilStatus({ replicas: 0, terminatingReplicas: 1 });
      expect(await ownSets()).toHaveLength(1);
      await hold(held[1]?.metadata.name, null);
      await untilSizes({ 2: 2 });
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 3 });
    },
  },
  {
    name: "Recreate gives an older template its set back, and scales it",
    async run(cluster) {
      const { create, untilSizes, untilRolledOut, setImage, scale, untilRevision } = deploymentActions(cluster);
      await create({ replicas: 1, strategy: { type: "Recreate" } });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 2: 1 });
      await untilRolledOut();
      await setImage("example.com/web:1");
      await untilSizes({ 3: 1 });
      await untilRolledOut();
      await untilRevision(3);
      await scale(2);
      await untilSizes({ 3: 2 });
      await untilRolledOut();
      await untilEvents(cluster, { ScalingReplicaSet: 6 });
    },
  },
  {
    name: "of the old sets only as many are kept as the history is long",
    async run(cluster) {
      const { create, untilRolledOut, setImage, ownSets, patch, untilRevision } = deploymentActions(cluster);
      await create({ replicas: 1, revisionHistoryLimit: 2 });
      await untilRolledOut();
      for (const version of [2, 3, 4, 5]) {
        await setImage(`example.com/web:${version}`);
        await untilRevision(version);
        await untilRolledOut();
      }
      const untilSets = (revisions: readonly string[]) =>
        cluster.until(`revisions ${revisions}`, async () => {
          const found = (await ownSets()).map(
            ({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"],
          );
          return JSON.stringify(found.toSorted()) === JSON.stringify(revisions);
        });
      await untilSets(["3", "4", "5"]);
      await patch({ spec: { revisionHistoryLimit: 0 } });
      await untilSets(["5"]);
    },
  },
  {
    name: "a set whose name is taken is named anew",
    async run(cluster) {
      const { create, createSet, get, pause, untilSizes, untilRolledOut, ownSets, untilStatus } =
        deploymentActions(cluster);
      await create({ replicas: 1, paused: true });
      await untilStatus({ replicas: 0 });
      const template = (await get()).spec?.template ?? templateOf();
      const taken = `web-${podTemplateHash(template, undefined)}`;
      const other = { app: "other" };
      await createSet({
        ...newSet(taken, {
          selector: { matchLabels: other },
          template: { ...templateOf(), metadata: { labels: other } },
        }),
        metadata: { name: taken, labels: other },
      });
      await pause(false);
      await untilSizes({ 1: 1 });
      await untilRolledOut();
      expect((await get()).status?.collisionCount).toBe(1);
      expect((await ownSets()).map(({ metadata }) => metadata.name)).toEqual([`web-${podTemplateHash(template, 1)}`]);
    },
  },
  {
    name: "a set without controller that has the template is adopted and used",
    async run(cluster) {
      const { create, createSet, get, untilRolledOut, ownSets, untilRevision } = deploymentActions(cluster);
      await createSet(newSet("by-hand", { replicas: 1 }));
      await create({ replicas: 1 });
      await untilRolledOut();
      // A watch that is cut may show the set after the deployment: then there is another set already.
      if (cluster.isDisturbed) return;
      await untilRevision(1);
      expect((await ownSets()).map(({ metadata }) => metadata.name)).toEqual(["by-hand"]);
      expect(findCondition((await get()).status?.conditions, "Progressing")?.message).toBe(
        'ReplicaSet "by-hand" has successfully progressed.',
      );
    },
  },
  {
    name: "a set without controller that has another template is adopted, and its pods replaced",
    async run(cluster) {
      const { create, createSet, makeReady, untilRolledOut, ownSets, untilSizes } = deploymentActions(cluster);
      await createSet(newSet("by-hand", { replicas: 2, template: templateOf("example.com/web:0") }));
      await create({ replicas: 2 });
      await makeReady(1, 1);
      await untilSizes({ [noRevision]: 1, 1: 2 });
      await makeReady(1, 1);
      await untilSizes({ 1: 2 });
      await untilRolledOut();
      expect(await ownSets()).toHaveLength(2);
    },
  },
  {
    name: "a set whose labels are taken away is released, and another one made",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, patchSet, setOf, get, untilRolledOut, ownSets } = deploymentActions(cluster);
      await create({ replicas: 1 });
      await untilRolledOut();
      const { name = "" } = (await setOf(1))?.metadata ?? {};
      await patchSet(name, { metadata: { labels: { app: null } } });
      await cluster.until("the release", async () => {
        const set = await client.resource(replicaSets).in(namespace).get(name, signal);
        return !isControlledBy(set, await get());
      });
      await cluster.until("another set", async () => (await ownSets()).length === 1);
      await untilRolledOut();
      expect((await get()).status?.collisionCount).toBe(1);
    },
  },
  {
    name: "a set that is deleted is made anew",
    async run(cluster) {
      const { create, removeSet, setOf, podsOf, makeReady, untilRolledOut, untilCondition, ownSets } =
        deploymentActions(cluster);
      await create({ replicas: 1 });
      await untilRolledOut();
      const { name = "", uid } = (await setOf(1))?.metadata ?? {};
      await removeSet(name);
      await cluster.until("another set of that name", async () => {
        const [set] = await ownSets();
        return set?.metadata.name === name && set.metadata.uid !== uid;
      });
      // The status may be that of the old set's pods still.
      await makeReady(1, 1);
      await untilRolledOut();
      // A manager that is killed after the create does not say that it made a set. So that the conditions stand in one order all the same, one
      // of them changes once more.
      for (const pod of await podsOf(1)) await setReady(cluster, pod, false);
      await untilCondition("Available", { status: "False", reason: "MinimumReplicasUnavailable" });
    },
  },
  {
    name: "two deployments with the same selector leave each other's sets alone",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilRolledOut, setImage, untilSizes, makeReady, ownSets } = deploymentActions(cluster);
      const others = client.resource(deployments).in(namespace);
      await others.create({ ...newWeb({ replicas: 1 }), metadata: { name: "other" } }, signal);
      await create({ replicas: 1 });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await makeReady(2, 1);
      await untilSizes({ 2: 1 });
      await untilRolledOut();
      expect(await ownSets()).toHaveLength(2);
      const other = await others.get("other", signal);
      const its = (await listed(cluster, replicaSets)).filter((set) => isControlledBy(set, other));
      expect(its.map(({ spec }) => spec?.replicas)).toEqual([1]);
      expect((await listed(cluster, pods)).map(keyOf)).toHaveLength(2);
    },
  },
  {
    name: "annotations and minReadySeconds of a deployment are those of its newest set",
    async run(cluster) {
      const { create, patch, setOf, untilRolledOut, untilCondition, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 1 }, { annotations: { "example.com/team": "a" } });
      await untilRolledOut();
      await patch({
        metadata: {
          annotations: { "example.com/team": "b", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
        },
        spec: { minReadySeconds: 3600, progressDeadlineSeconds: 7200 },
      });
      await cluster.until("the set has them", async () => {
        const set = await setOf(1);
        return set?.metadata.annotations?.["example.com/team"] === "b" && set.spec?.minReadySeconds === 3600;
      });
      // It has been ready for a shorter time.
      await untilCondition("Available", { status: "False", reason: "MinimumReplicasUnavailable" });
      await untilStatus({ readyReplicas: 1, availableReplicas: 0 });
      expect((await setOf(1))?.metadata.annotations).not.toHaveProperty([
        "kubectl.kubernetes.io/last-applied-configuration",
      ]);
    },
  },
  {
    name: "old pods go when new ones have been ready for minReadySeconds",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, setImage, untilSizes, makeReady, untilRolledOut, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 1, minReadySeconds: 30 });
      await untilRolledOut();
      await setImage("example.com/web:2");
      await untilSizes({ 1: 1, 2: 1 });
      await makeReady(2, 1);
      // Where requests fail, time goes by.
      if (!cluster.isDisturbed) {
        await untilStatus({ readyReplicas: 2, availableReplicas: 1 });
        await cluster.pass(25_000);
        await untilSizes({ 1: 1, 2: 1 });
        await cluster.pass(6000);
      }
      await untilSizes({ 2: 1 });
      await untilRolledOut();
    },
  },
  {
    name: "pods that are being deleted are counted",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, podsOf, untilRolledOut, scale, untilStatus } = deploymentActions(cluster);
      await create({ replicas: 1 });
      await untilRolledOut();
      const [pod] = await podsOf(1);
      const name = pod?.metadata.name ?? "";
      const allPods = client.resource(pods).in(namespace);
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await scale(0);
      await untilStatus({ replicas: 0, terminatingReplicas: 1 });
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal);
      await untilStatus({ replicas: 0, terminatingReplicas: 0 });
    },
  },
  {
    name: "pods that become unavailable are told of, and nothing is rolled out",
    async run(cluster) {
      const { create, podsOf, untilRolledOut, untilCondition, untilStatus, untilSizes } = deploymentActions(cluster);
      await create({ replicas: 2 });
      await untilRolledOut();
      for (const pod of await podsOf(1)) await setReady(cluster, pod, false);
      await untilCondition("Available", { status: "False", reason: "MinimumReplicasUnavailable" });
      await untilStatus({ replicas: 2, availableReplicas: 0, unavailableReplicas: 2 });
      await untilCondition("Progressing", rolledOut);
      await untilRolledOut();
      await untilSizes({ 1: 2 });
      await untilEvents(cluster, { ScalingReplicaSet: 1 });
    },
  },
  {
    name: "a deployment that is being deleted rolls nothing out, and tells its counts",
    async run(cluster) {
      const { create, patch, remove, setImage, untilRolledOut, untilStatus, ownSets } = deploymentActions(cluster);
      await create({ replicas: 1 }, { finalizers: ["example.com/held"] });
      await untilRolledOut();
      await remove();
      await setImage("example.com/web:2");
      await untilStatus({ updatedReplicas: 0 });
      expect(await ownSets()).toHaveLength(1);
      await patch({ metadata: { finalizers: null } });
    },
  },
  {
    name: "a quota that refuses the set is told of, and forgotten when there is room",
    // The embedded server has no quota admission yet.
    needsRealServer: true,
    repeatedEvents: ["ReplicaSetCreateError"],
    async run(cluster) {
      const { create, untilCondition, untilRolledOut } = deploymentActions(cluster);
      const free = await refuseMore(cluster, "count/replicasets.apps");
      await create({ replicas: 1 });
      await untilCondition("Progressing", { status: "False", reason: "ReplicaSetCreateError" });
      await free();
      await untilRolledOut();
    },
  },
  {
    name: "a set that can make no pods passes its failure on",
    needsRealServer: true,
    repeatedEvents: ["FailedCreate"],
    async run(cluster) {
      const { create, get, untilCondition, untilRolledOut } = deploymentActions(cluster);
      const free = await refuseMore(cluster, "pods");
      await create({ replicas: 1 });
      await untilCondition("ReplicaFailure", { status: "True", reason: "FailedCreate" });
      await free();
      await untilRolledOut();
      expect(findCondition((await get()).status?.conditions, "ReplicaFailure")).toBeUndefined();
    },
  },
];

/** A quota of none; the function that comes back takes it away. Upstream's quota controller is not part of the scenario: what is used is said here. */
async function refuseMore(
  { client, namespace, signal }: ScenarioCluster,
  what: string,
): Promise<() => Promise<unknown>> {
  const quotas = client.resource(resourceQuotas).in(namespace);
  const hard = { [what]: "0" };
  await quotas.create({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "few" }, spec: { hard } }, signal);
  await quotas
    .subresource("status")
    .patch("few", { type: "merge", body: { status: { hard, used: { [what]: "0" } } } }, signal);
  return () => quotas.delete("few", {}, signal);
}
