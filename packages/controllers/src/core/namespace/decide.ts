// The rules of the namespace controller: what is asked, what is deleted, when it is looked at again, and when the namespace is let go.
//
// Deleting and looking are two reconciles, one directly after the other: what the first lists has not been deleted yet and says nothing about
// what will be left.
import { type corev1, type KubernetesObject, objectKeyOf, type Resource } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  discover,
  editStatus,
  editSubresource,
  liveGet,
  liveList,
  nothing,
  plan,
  preferredResources,
  type Question,
  remove,
  removeCollection,
  type Served,
  unfinished,
} from "@kubeloop/core/contract";
import { namespaces, pods } from "@kubeloop/core/resources";
import { withConditions } from "./conditions.ts";
import { type Attempts, isUnsupported } from "./model.ts";
import type { Observed } from "./observe.ts";
import { type Found, isPods, judgeRemaining, type Remaining } from "./remaining.ts";

/** For `report`. */
export interface Looked {
  readonly namespace: corev1.Namespace;
  /** Why not all that is served is known. */
  readonly undiscovered: Error | undefined;
  /** Resources that could not be listed. */
  readonly unread: readonly Unread[];
  /** What a deletion has left. Undefined where this plan deletes for the first time: what will be left is not known yet. */
  readonly remaining: readonly Remaining[] | undefined;
}

interface Unread {
  readonly resource: Resource;
  readonly error: Error;
}

const token = "kubernetes";

export function decide({ name, attempts }: Observed, context: DecideContext): Decision<Looked> {
  const [namespaceQuestion, servedQuestion] = [liveGet(namespaces, name), discover()];
  const live = context.answer(namespaceQuestion);
  const served = context.answer(servedQuestion);
  if (live === undefined || served === undefined) return ask("what can it hold?", namespaceQuestion, servedQuestion);
  if (!live.ok) return unfinished("cannot be read", live.error) as Decision<never>;
  const namespace = live.value;
  if (namespace?.metadata.deletionTimestamp === undefined) return nothing("is gone, or made anew");
  if (namespace.status?.phase !== "Terminating") {
    const status = { ...namespace.status, phase: "Terminating" as const };
    const edit = editStatus(namespaces, namespace, { ...namespace, status }, { tolerates: ["NotFound"] });
    return plan("says that it goes", [[edit]], { requeueAfterMs: 0 });
  }
  if ((namespace.spec?.finalizers ?? []).length === 0) return nothing("is let go already");

  const undiscovered = served.ok ? findUndiscovered(served.value) : served.error;
  const resources = served.ok ? contentResources(served.value) : [];
  const looked = look(name, resources, context);
  if ("kind" in looked) return looked;
  return decideOn({ ...looked, namespace, undiscovered }, attempts, context.nowMs);
}

interface Look {
  readonly found: readonly Found[];
  readonly unread: readonly Unread[];
  /** Those that the server deletes, but does not list. */
  readonly unlistable: readonly Resource[];
}

function decideOn(
  { namespace, undiscovered, found, unread, unlistable }: Look & Pick<Looked, "namespace" | "undiscovered">,
  attempts: Attempts,
  nowMs: number,
): Decision<Looked> {
  const { name = "" } = namespace.metadata;
  const removals = found.flatMap((each) => removalsOf(each, name, attempts));
  const blind = unlistable.filter((resource) => !attempts.isTried(resource));
  const isFresh = blind.length > 0 || found.some((each) => isLiving(each) && !attempts.isTried(each.resource));
  const notes: Looked = { namespace, undiscovered, unread, remaining: undefined };
  if (isFresh) {
    const steps = [[...removals, ...blind.map((resource) => collectionOf(resource, name))]];
    return plan("content goes", steps, { notes, requeueAfterMs: 0 });
  }

  const remaining = found.map((each) => judgeRemaining(each, namespace, nowMs));
  const judged: Looked = { ...notes, remaining };
  const failures = [undiscovered, ...unread.map(({ error }) => error), ...remaining.map(({ failure }) => failure)];
  const failure = failures.find((each) => each !== undefined);
  if (failure !== undefined) return plan("something is wrong", [removals], { notes: judged, unfinished: failure });
  if (remaining.length > 0) {
    const seconds = Math.max(...remaining.map(({ estimateSeconds }) => estimateSeconds));
    const requeueAfterMs = (Math.trunc(seconds / 2) + 1) * 1000;
    return plan("content is going", [removals], { notes: judged, requeueAfterMs });
  }
  const told = editStatus(namespaces, namespace, withConditions(judged, new Map(), nowMs), { tolerates: ["NotFound"] });
  // In this order: nobody looks again at a namespace that is let go, and others may hold it still.
  return plan("is empty", [[told], [release(namespace)]]);
}

/** Its last update: without our finalizer. Undefined where others hold it. */
function release(namespace: corev1.Namespace): Action | undefined {
  const { finalizers = [] } = namespace.spec ?? {};
  if (!finalizers.includes(token)) return undefined;
  // Each once and sorted, as upstream leaves them.
  const others = [...new Set(finalizers.filter((each) => each !== token))].sort();
  const spec = { ...namespace.spec, finalizers: others };
  return editSubresource(namespaces, "finalize", namespace, { ...namespace, spec }, { tolerates: ["NotFound"] });
}

/** Lists pods first, and all else only when there are none; asks for what was not listed yet. */
function look(name: string, resources: readonly Resource[], context: DecideContext): Look | Decision<never> {
  const listed = resources.filter(({ verbs }) => verbs.includes("list"));
  const hasPods = listed.some(isPods);
  const ofPods = listResources(name, listed.filter(isPods), context);
  if ("kind" in ofPods) return ofPods;
  // Pods that could not be listed may be there.
  if (hasPods && (ofPods.found.length > 0 || ofPods.unread.length > 0)) return { ...ofPods, unlistable: [] };
  const ofOthers = listResources(
    name,
    listed.filter((resource) => !isPods(resource)),
    context,
  );
  if ("kind" in ofOthers) return ofOthers;
  const unlistable = resources.filter(({ verbs }) => !verbs.includes("list") && verbs.includes("deletecollection"));
  return { ...ofOthers, unlistable };
}

function listResources(
  namespace: string,
  resources: readonly Resource[],
  { answer }: DecideContext,
): Omit<Look, "unlistable"> | Decision<never> {
  const lists = resources.map((resource) => ({ resource, question: contentQuestion(resource, namespace) }));
  const open = lists.filter(({ question }) => answer(question) === undefined);
  if (open.length > 0) return ask("what does it hold?", ...open.map(({ question }) => question));
  const found: Found[] = [];
  const unread: Unread[] = [];
  for (const { resource, question } of lists) {
    const answered = answer(question);
    if (answered?.ok === true && answered.value.items.length > 0) found.push({ resource, items: answered.value.items });
    if (answered?.ok === false && !isUnsupported(answered.error)) unread.push({ resource, error: answered.error });
  }
  return { found, unread };
}

/** How long a pod may take is in its spec; of others the metadata is enough. */
function contentQuestion(
  resource: Resource,
  namespace: string,
): Question<{ readonly items: readonly KubernetesObject[] }> {
  return isPods(resource) ? liveList(pods, { namespace }) : liveList(resource, { namespace, metadataOnly: true });
}

const contentResources = (served: Served) =>
  preferredResources(served, ["delete"]).filter(({ namespaced }) => namespaced);

function findUndiscovered({ failures }: Served): Error | undefined {
  if (failures.size === 0) return undefined;
  const groups = [...failures].map(([apiVersion, { message }]) => `${apiVersion}: ${message}`).toSorted();
  const message = `unable to retrieve the complete list of server APIs: ${groups.join(", ")}`;
  return new KubeloopError(`Discovery failed for some groups, ${failures.size} failing: ${message}`, {
    reason: "DiscoveryFailed",
  });
}

const isAlive = ({ metadata }: KubernetesObject) => metadata.deletionTimestamp === undefined;
const isLiving = ({ items }: Found) => items.some(isAlive);

// The garbage collector need not do anything: what is owned is deleted here as well.
const options = { propagationPolicy: "Background" } as const;

/** What is being deleted already is left to go. */
function removalsOf({ resource, items }: Found, namespace: string, attempts: Attempts): readonly Action[] {
  const living = items.filter(isAlive);
  if (living.length === 0) return [];
  if (resource.verbs.includes("deletecollection") && !attempts.isOneByOne(resource)) {
    return [collectionOf(resource, namespace)];
  }
  return living.map(({ metadata: { name = "", uid } }) =>
    // A conflict is an object that was deleted and made anew: the next look finds it.
    remove(resource, objectKeyOf(namespace, name), {
      ...options,
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      tolerates: ["NotFound", "Conflict", "MethodNotSupported"],
    }),
  );
}

const collectionOf = (resource: Resource, namespace: string) =>
  removeCollection(resource, { namespace, ...options, tolerates: ["NotFound", "MethodNotSupported"] });
