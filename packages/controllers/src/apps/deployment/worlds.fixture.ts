// Deployments and sets for tables: named "web" in "shop", sets by number, a higher number being younger.
import { type appsv1, printTime, setControllerReference } from "@kubeloop/core/api";
import { newDeployment, newReplicaSet, stored } from "@kubeloop/core/testing";
import { desiredReplicasAnnotation, maxReplicasAnnotation, revisionAnnotation } from "./revisions.ts";

export const nowMs = Date.parse("2024-05-01T12:00:00Z");
export const now = printTime(nowMs);
export const ago = (seconds: number) => printTime(nowMs - seconds * 1000);
export const labels = { app: "web" };
export const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }] },
});

export interface WebFacts {
  readonly replicas?: number;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly image?: string;
  readonly spec?: Partial<appsv1.DeploymentSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly status?: appsv1.DeploymentStatus;
}

/** Rolls with a surge of one and nobody unavailable; its image is the second one. */
export function web(facts: WebFacts = {}): appsv1.Deployment {
  const { replicas = 3, maxSurge = 1, maxUnavailable = 0, image = "web:2", annotations } = facts;
  const object = newDeployment("shop/web", {
    metadata: { generation: 7, ...(annotations === undefined ? {} : { annotations }), ...facts.metadata },
    spec: {
      selector: { matchLabels: labels },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
      template: templateOf(image),
    },
  });
  const spec = { ...object.spec, replicas, ...facts.spec } as appsv1.DeploymentSpec;
  return stored({ ...object, spec, ...(facts.status === undefined ? {} : { status: facts.status }) });
}

export interface SetFacts {
  readonly replicas?: number;
  /** As many as wanted unless given. */
  readonly available?: number;
  readonly pods?: number;
  readonly image?: string;
  /** For how many pods of the deployment, and how many at most, the set was scaled last. */
  readonly scaledFor?: readonly [desired: number, max: number];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly status?: Partial<appsv1.ReplicaSetStatus>;
  readonly spec?: Partial<appsv1.ReplicaSetSpec>;
  /** Nobody unless given. */
  readonly owner?: appsv1.Deployment;
}

/** The set with this number, its image and its revision being the number, too. */
export function set(number: number, facts: SetFacts = {}): appsv1.ReplicaSet {
  const { replicas = 0, available = replicas, pods = replicas, image = `web:${number}`, scaledFor } = facts;
  const object = newReplicaSet(`shop/web-${number}`, {
    metadata: {
      labels,
      generation: 1,
      creationTimestamp: ago(10_000 - number * 100),
      annotations: {
        [revisionAnnotation]: String(number),
        ...(scaledFor === undefined
          ? {}
          : { [desiredReplicasAnnotation]: String(scaledFor[0]), [maxReplicasAnnotation]: String(scaledFor[1]) }),
        ...facts.annotations,
      },
      ...facts.metadata,
    },
  });
  const whole = stored({
    ...object,
    spec: { replicas, selector: { matchLabels: labels }, template: templateOf(image), ...facts.spec },
    status: {
      replicas: pods,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...facts.status,
    },
  });
  return facts.owner === undefined ? whole : setControllerReference(whole, facts.owner);
}
