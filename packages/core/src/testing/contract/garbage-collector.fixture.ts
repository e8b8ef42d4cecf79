// The core of the garbage collector, written with the contract. It watches the metadata of all resources that discovery reports as deletable,
// keeps the owner graph, and deletes objects whose owners do not exist any more. It deletes nothing because of a cache alone: the object and
// every owner that may be gone are read live first.
import {
  type metav1,
  objectKeyOf,
  type PartialObjectMetadata,
  type Resource,
  removeFinalizer,
} from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";
import {
  type Action,
  ask,
  cached,
  type DecideContext,
  type Decision,
  editObject,
  type Learned,
  liveGet,
  newController,
  nothing,
  type Plan,
  plan,
  preferredResources,
  type Question,
  queue,
  remove,
  resourceOfKind,
  type Served,
  unfinished,
  type View,
  verbs,
  type Wake,
} from "../../contract/index.ts";
import { foreground, type GraphNode, OwnerGraph, orphan } from "./owner-graph.fixture.ts";

export interface ItemSeen {
  readonly node: GraphNode;
  readonly dependents: readonly GraphNode[];
  readonly absentOwners: ReadonlySet<string>;
  readonly served: Served;
}

type Meta = PartialObjectMetadata;

export function observeItem(uid: string, { model, snapshot }: View<OwnerGraph>): ItemSeen | undefined {
  const node = model.get(uid);
  if (node === undefined || snapshot.served === undefined) return undefined;
  const absent = node.owners.filter((owner) => model.isAbsent(owner.uid)).map((owner) => owner.uid);
  return { node, dependents: model.dependentsOf(uid), absentOwners: new Set(absent), served: snapshot.served };
}

export function decideDelete(seen: ItemSeen, context: DecideContext): Decision {
  const { node } = seen;
  if (node.isDeleting && !node.waitsForDependents) return nothing("is being deleted already");
  const place = placeOf(seen);
  if (place === undefined) return unfinished("its kind is not served", notServed(node));
  const itemQuestion = liveGet(place.resource, place.key, { metadataOnly: true });
  const item = context.answer(itemQuestion);
  if (item === undefined) return ask("is it as the graph has it?", itemQuestion);
  if (!item.ok) return unfinished("cannot be read", item.error);
  if (item.value?.metadata.uid !== node.uid) return nothing("is gone");
  if (node.waitsForDependents) return decideForeground(seen, place.resource, item.value);
  const owners = item.value.metadata.ownerReferences ?? [];
  if (owners.length === 0) return nothing("has no owner");
  return decideByOwners(seen, place.resource, item.value, context);
}

function decideForeground(seen: ItemSeen, resource: Resource, item: Meta): Plan {
  const blocking = seen.dependents.filter((each) =>
    each.owners.some((owner) => owner.uid === seen.node.uid && owner.blockOwnerDeletion === true),
  );
  if (blocking.length > 0) {
    return nothing("waits for its dependents", {
      wakes: blocking.filter((each) => !each.isDeleting).map(({ uid }) => uid),
    });
  }
  return plan("no dependent blocks it", [[withoutFinalizer(resource, item, foreground)]]);
}

function decideByOwners(seen: ItemSeen, resource: Resource, item: Meta, context: DecideContext): Decision {
  const owners = item.metadata.ownerReferences ?? [];
  const namespace = item.metadata.namespace ?? "";
  const asked = owners.map((owner) => ({ owner, question: ownerQuestion(owner, namespace, seen) }));
  const invalid = asked.find(({ question }) => question === "namespaced owner of a cluster-scoped object");
  if (invalid !== undefined) return nothing("has an owner that cannot be");
  const unknown = asked.find(({ question }) => question === "not served");
  if (unknown !== undefined)
    return unfinished("an owner's kind is not served", notServed({ reference: unknown.owner }));
  const open = asked.flatMap(({ question }) =>
    typeof question === "object" && context.answer(question) === undefined ? [question] : [],
  );
  if (open.length > 0) return ask("are its owners there?", ...open);

  const solid: metav1.OwnerReference[] = [];
  const waiting: metav1.OwnerReference[] = [];
  for (const { owner, question } of asked) {
    const answer = typeof question === "object" ? context.answer(question) : undefined;
    if (answer?.ok === false) return unfinished("an owner cannot be read", answer.error);
    const live = answer?.value;
    if (live?.metadata.uid !== owner.uid) continue;
    (waitsForDependents(live) ? waiting : solid).push(owner);
  }
  if (solid.length === owners.length) return nothing("is owned");
  if (solid.length > 0) return plan("drops owners that are gone", [[withOwners(resource, item, solid)]]);
  const preconditions = preconditionsOf(item);
  const key = keyOf(item);
  if (waiting.length > 0 && seen.dependents.length > 0) {
    const isCycle = seen.dependents.some((each) => each.waitsForDependents);
    const unblocked = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    const { uid = "" } = item.metadata;
    return plan("goes with its owner, after its own dependents", [
      isCycle ? [withOwners(resource, item, unblocked)] : [],
      [remove(resource, key, { propagationPolicy: "Foreground", preconditions: { uid }, tolerates: ["NotFound"] })],
    ]);
  }
  const propagationPolicy = policyOf(item);
  return plan("nobody owns it", [
    [remove(resource, key, { propagationPolicy, preconditions, tolerates: ["NotFound"] })],
  ]);
}

/** Updates the graph with the results of the live reads. */
export function learnFromItem(graph: OwnerGraph, seen: ItemSeen, learned: Learned): readonly Wake[] {
  const place = placeOf(seen);
  if (place === undefined) return [];
  const item = learned.answer(liveGet(place.resource, place.key, { metadataOnly: true }));
  if (item?.ok !== true) return [];
  if (item.value?.metadata.uid !== seen.node.uid) return graph.forget(seen.node.uid);
  for (const owner of item.value.metadata.ownerReferences ?? []) {
    const question = ownerQuestion(owner, item.value.metadata.namespace ?? "", seen);
    const answer = typeof question === "object" ? learned.answer(question) : undefined;
    if (answer?.ok === true && answer.value?.metadata.uid !== owner.uid) graph.noteAbsent(owner.uid);
  }
  return [];
}

export function decideOrphan(seen: ItemSeen, context: DecideContext): Decision {
  const place = placeOf(seen);
  if (place === undefined) return unfinished("its kind is not served", notServed(seen.node));
  const questions = [
    liveGet(place.resource, place.key, { metadataOnly: true }),
    ...seen.dependents.flatMap((each) =>
      each.place ? [liveGet(each.place.resource, each.place.key, { metadataOnly: true })] : [],
    ),
  ];
  const open = questions.filter((question) => context.answer(question) === undefined);
  if (open.length > 0) return ask("how do its dependents refer to it?", ...open);
  const released: (Action | undefined)[] = [];
  for (const { place: dependent, uid } of seen.dependents) {
    if (dependent === undefined) continue;
    const live = context.answer(liveGet(dependent.resource, dependent.key, { metadataOnly: true }));
    if (live?.ok === false) return unfinished("a dependent cannot be read", live.error);
    if (live?.value?.metadata.uid !== uid) continue;
    const owners = live.value.metadata.ownerReferences ?? [];
    const left = owners.filter((owner) => owner.uid !== seen.node.uid);
    if (left.length < owners.length) released.push(withOwners(dependent.resource, live.value, left));
  }
  const item = context.answer(liveGet(place.resource, place.key, { metadataOnly: true }));
  if (item?.ok === false) return unfinished("cannot be read", item.error);
  if (item?.value?.metadata.uid !== seen.node.uid) return nothing("is gone");
  const isHeld = item.value.metadata.finalizers?.includes(orphan) === true;
  return plan("lets its dependents live on", [
    released,
    isHeld ? [withoutFinalizer(place.resource, item.value, orphan)] : [],
  ]);
}

export const garbageCollector = newController<OwnerGraph>({
  name: "garbage-collector-controller",
  watches: (served) =>
    preferredResources(served, ["list", "watch", "delete"])
      .filter(({ plural }) => plural !== "events")
      .map((resource) => cached(resource, { metadataOnly: true })),
  onSyncTimeout: "start",
  reads: [verbs("*", "get")],
  writes: [verbs("*", "patch", "delete")],
  newModel: () => new OwnerGraph(),
  absorb: (graph, change) => graph.absorb(change),
  queues: {
    attemptToDelete: queue({
      workers: 20,
      observe: observeItem,
      decide: decideDelete,
      learn: learnFromItem,
    }),
    attemptToOrphan: queue({ workers: 20, observe: observeItem, decide: decideOrphan }),
  },
});

function placeOf({ node, served }: ItemSeen): { readonly resource: Resource; readonly key: string } | undefined {
  if (node.place !== undefined) return node.place;
  if (node.reference === undefined) return undefined;
  const resource = resourceOfKind(served, node.reference);
  if (resource === undefined) return undefined;
  return { resource, key: objectKeyOf(resource.namespaced ? node.namespace : "", node.reference.name) };
}

function ownerQuestion(
  owner: metav1.OwnerReference,
  namespace: string,
  { served, absentOwners }: ItemSeen,
): Question<Meta | undefined> | "absent" | "not served" | "namespaced owner of a cluster-scoped object" {
  const resource = resourceOfKind(served, owner);
  if (resource?.namespaced === true && namespace === "") return "namespaced owner of a cluster-scoped object";
  if (absentOwners.has(owner.uid)) return "absent";
  if (resource === undefined) return "not served";
  return liveGet(resource, objectKeyOf(resource.namespaced ? namespace : "", owner.name), { metadataOnly: true });
}

function waitsForDependents({ metadata }: Meta): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foreground) === true;
}

function policyOf({ metadata }: Meta): "Orphan" | "Foreground" | "Background" {
  if (metadata.finalizers?.includes(orphan) === true) return "Orphan";
  return metadata.finalizers?.includes(foreground) === true ? "Foreground" : "Background";
}

function withOwners(resource: Resource, item: Meta, owners: readonly metav1.OwnerReference[]) {
  const { ownerReferences: _before, ...others } = item.metadata;
  const metadata = owners.length === 0 ? others : { ...others, ownerReferences: owners };
  return editObject(resource, item, { ...item, metadata }, { tolerates: ["NotFound"] });
}

function withoutFinalizer(resource: Resource, item: Meta, finalizer: string) {
  return editObject(resource, item, removeFinalizer(item, finalizer), { tolerates: ["NotFound"] });
}

function preconditionsOf({ metadata: { uid = "", resourceVersion = "" } }: Meta) {
  return { uid, resourceVersion };
}

function keyOf({ metadata }: Meta): string {
  return objectKeyOf(metadata.namespace ?? "", metadata.name ?? "");
}

function notServed({ reference }: Pick<GraphNode, "reference">): Error {
  const { apiVersion = "", kind = "" } = reference ?? {};
  return new KubeloopError(`no resource serves ${apiVersion} ${kind}`, { reason: "NoMatch" });
}
