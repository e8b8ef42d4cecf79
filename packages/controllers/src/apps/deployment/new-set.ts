// The newest set of a deployment: the oldest one with its template, or one that is made of it.
import { type appsv1, newControllerReference } from "@kubeloop/core/api";
import { isSameTemplate, podTemplateHashLabel, withHash } from "../../domain/pod-template.ts";
import { podTemplateHash } from "../../domain/pod-template-hash.ts";
import { compareAge, newestAnnotations, sizeAnnotations } from "./revisions.ts";

type Set = appsv1.ReplicaSet;

export interface Sets {
  /** Undefined when no set has the deployment's template. */
  readonly newSet: Set | undefined;
  /** All others, older ones first. */
  readonly oldSets: readonly Set[];
}

/** After an upgrade of the cluster there may be several with the same template: the oldest is the newest set then, for ever. */
export function findNewSet({ spec }: appsv1.Deployment, sets: readonly Set[]): Sets {
  const template = spec?.template ?? noTemplate;
  const sorted = sets.toSorted(compareAge);
  const newSet = sorted.find((set) => isSameTemplate(set.spec?.template ?? noTemplate, template));
  return { newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

/** As it should be: with the annotations and minReadySeconds of its deployment; the same object if it is so. */
export function asNewest(deployment: appsv1.Deployment, set: Set, oldSets: readonly Set[]): Set {
  const annotations = newestAnnotations(deployment, set, oldSets);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isReadyAfterSame = minReadySeconds === (set.spec?.minReadySeconds ?? 0);
  if (annotations === undefined && isReadyAfterSame) return set;
  const spec = set.spec === undefined || isReadyAfterSame ? set.spec : { ...set.spec, minReadySeconds };
  const metadata = annotations === undefined ? set.metadata : { ...set.metadata, annotations };
  return { ...set, metadata, ...(spec === undefined ? {} : { spec }) };
}

export interface NewSetOptions {
  readonly oldSets: readonly Set[];
  readonly replicas: number;
  /** Upstream has written the deployment's status in this sync already, and hashes what that left behind. */
  readonly isAsSent: boolean;
}

export function makeNewSet(deployment: appsv1.Deployment, { oldSets, replicas, isAsSent }: NewSetOptions): Set {
  const { namespace = "", name = "" } = deployment.metadata;
  const { template: own = noTemplate, selector = {}, minReadySeconds } = deployment.spec ?? {};
  const hash = podTemplateHash(own, deployment.status?.collisionCount, { isAsSent });
  const template = withHash(own, hash);
  const set: Set = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      namespace,
      name: nameOf(name, hash),
      labels: template.metadata?.labels ?? {},
      annotations: {},
      ownerReferences: [newControllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [podTemplateHashLabel]: hash } },
      template,
    },
  };
  const annotations = { ...newestAnnotations(deployment, set, oldSets), ...sizeAnnotations(deployment) };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

const noTemplate = { spec: { containers: [] } };
const maxNameLength = 253;

/** The hash stays whole. */
function nameOf(deployment: string, hash: string): string {
  return `${deployment.slice(0, maxNameLength - 1 - hash.length)}-${hash}`;
}
