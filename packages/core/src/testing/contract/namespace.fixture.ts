// The core of the namespace controller, written with the contract. It finds the content of a terminating namespace with discovery and live
// lists, and deletes it, pods first. It removes the finalizer of the namespace only if every list was read and is empty.
import { namespaces } from "../../api/generated/resources.ts";
import { type corev1, type PartialObjectMetadata, printTime, type Resource } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  discover,
  editStatus,
  itself,
  keyed,
  liveGet,
  liveList,
  nothing,
  type Outcome,
  type Plan,
  plan,
  preferredResources,
  remove,
  removeCollection,
  type Served,
  statusVerbs,
  subresourceVerbs,
  unfinished,
  update,
  type View,
  verbs,
} from "../../contract/index.ts";

export interface NamespaceSeen {
  readonly name: string;
}

/** The content of the namespace, when all questions are answered. */
interface Content {
  readonly namespace: corev1.Namespace;
  readonly served: Served;
  readonly remaining: readonly { readonly resource: Resource; readonly items: readonly PartialObjectMetadata[] }[];
  /** The errors of lists that could not be read. */
  readonly failures: readonly Error[];
}

export function observe(key: string, { snapshot }: View): NamespaceSeen | undefined {
  const namespace = snapshot.get(namespaces, key);
  return namespace?.metadata.deletionTimestamp === undefined ? undefined : { name: key };
}

export function decide({ name }: NamespaceSeen, context: DecideContext): Decision {
  const content = contentOf(name, context);
  if ("kind" in content) return content;
  const { namespace, served, remaining, failures } = content;
  if (namespace.status?.phase !== "Terminating") {
    const status = { ...namespace.status, phase: "Terminating" as const };
    return plan("says that it goes", [[editStatus(namespaces, namespace, { ...namespace, status })]], {
      requeueAfterMs: 0,
    });
  }
  const pods = remaining.filter(({ resource }) => resource.group === "" && resource.plural === "pods");
  const due = pods.length > 0 ? pods : remaining;
  const removals = due.flatMap((each) => removalsOf(each, name));
  if (remaining.length > 0) {
    const waitMs = estimateMs(due);
    const left = new KubeloopError(`content remains in namespace ${name}`, { reason: "ContentRemains" });
    const more = waitMs === undefined ? { unfinished: left } : { requeueAfterMs: waitMs };
    return plan(pods.length > 0 ? "pods go first" : "content goes", [removals], more);
  }
  const unread = failures[0] ?? [...served.failures.values()][0];
  if (unread !== undefined) return unfinished("not all could be looked at", unread);
  const finalizers = namespace.spec?.finalizers?.filter((each) => each !== "kubernetes") ?? [];
  const released: corev1.Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
  return plan("is empty", [[update(namespaces, released, { subresource: "finalize", tolerates: ["NotFound"] })]]);
}

/** Writes all five conditions, until the finalizer of the namespace is removed. */
export function report({ name }: NamespaceSeen, outcome: Outcome, context: DecideContext): Plan | undefined {
  const content = contentOf(name, context);
  if ("kind" in content || outcome.isDoneOn(namespaces, name, { subresource: "finalize" })) return undefined;
  const { namespace, served, remaining, failures } = content;
  const held = remaining.flatMap(({ items }) => items.flatMap(({ metadata }) => metadata.finalizers ?? []));
  const failed = failures[0] ?? outcome.failures[0];
  const facts = [
    ["NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "DiscoveryFailed", served.failures.size > 0],
    ["NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "GroupVersionParsingFailed", false],
    ["NamespaceDeletionContentFailure", "ContentDeleted", "ContentDeletionFailed", failed !== undefined],
    ["NamespaceContentRemaining", "ContentRemoved", "SomeResourcesRemain", remaining.length > 0],
    ["NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "SomeFinalizersRemain", held.length > 0],
  ] as const;
  const before = namespace.status?.conditions ?? [];
  const conditions = facts.map(([type, fine, bad, isBad]): corev1.NamespaceCondition => {
    const status = isBad ? "True" : "False";
    const old = before.find((each) => each.type === type && each.status === status);
    return old ?? { type, status, reason: isBad ? bad : fine, lastTransitionTime: printTime(context.nowMs) };
  });
  if (conditions.every((each) => before.includes(each))) return undefined;
  const status = { ...namespace.status, conditions };
  return plan("says how far it is", [[editStatus(namespaces, namespace, { ...namespace, status })]]);
}

export const namespaceController = keyed<NamespaceSeen>({
  name: "namespace-controller",
  primary: namespaces,
  // The delay gives other clients time to notice the deletion and to stop creating objects.
  watches: [
    itself(namespaces, { afterMs: 5000, when: ({ object }) => object.metadata.deletionTimestamp !== undefined }),
  ],
  reads: [verbs(namespaces, "get"), verbs("*", "list")],
  writes: [
    verbs("*", "delete", "deletecollection"),
    statusVerbs(namespaces, "update"),
    subresourceVerbs(namespaces, "finalize", "update"),
  ],
  workers: 10,
  retry: { maxMs: 60_000 },
  observe,
  decide,
  report,
});

function contentOf(name: string, context: DecideContext): Content | Decision {
  const [liveQuestion, servedQuestion] = [liveGet(namespaces, name), discover()];
  const live = context.answer(liveQuestion);
  const served = context.answer(servedQuestion);
  if (live === undefined || served === undefined) return ask("what can it hold?", liveQuestion, servedQuestion);
  if (!live.ok) return unfinished("cannot be read", live.error);
  if (live.value?.metadata.deletionTimestamp === undefined) return nothing("is gone, or made anew");
  if (live.value.spec?.finalizers?.includes("kubernetes") !== true) return nothing("is held by others only");
  if (!served.ok) return unfinished("what is served is not known", served.error);
  const resources = preferredResources(served.value, ["list", "delete"]).filter(({ namespaced }) => namespaced);
  const lists = resources.map((resource) => ({
    resource,
    question: liveList(resource, { namespace: name, metadataOnly: true }),
  }));
  const open = lists.filter(({ question }) => context.answer(question) === undefined);
  if (open.length > 0) return ask("what does it hold?", ...open.map(({ question }) => question));
  const failures: Error[] = [];
  const remaining: { resource: Resource; items: readonly PartialObjectMetadata[] }[] = [];
  for (const { resource, question } of lists) {
    const answer = context.answer(question);
    if (answer?.ok === false) failures.push(answer.error);
    else if (answer !== undefined && answer.value.items.length > 0)
      remaining.push({ resource, items: answer.value.items });
  }
  return { namespace: live.value, served: served.value, remaining, failures };
}

/** Returns the deletes for objects that are not terminating yet. */
function removalsOf({ resource, items }: Content["remaining"][number], namespace: string): readonly Action[] {
  const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (living.length === 0) return [];
  const options = { propagationPolicy: "Background", tolerates: ["NotFound"] } as const;
  if (resource.verbs.includes("deletecollection")) return [removeCollection(resource, { namespace, ...options })];
  return living.map(({ metadata: { name = "", uid = "" } }) =>
    remove(resource, `${namespace}/${name}`, { ...options, preconditions: { uid } }),
  );
}

/** Returns undefined if nothing indicates how long the deletion takes. */
function estimateMs(due: Content["remaining"]): number | undefined {
  const items = due.flatMap((each) => each.items);
  const graceSeconds = Math.max(0, ...items.map(({ metadata }) => metadata.deletionGracePeriodSeconds ?? 0));
  const hasFinalizers = items.some(({ metadata }) => (metadata.finalizers?.length ?? 0) > 0);
  const seconds = graceSeconds > 0 ? graceSeconds : hasFinalizers ? 15 : 0;
  return seconds === 0 ? undefined : (Math.trunc(seconds / 2) + 1) * 1000;
}
