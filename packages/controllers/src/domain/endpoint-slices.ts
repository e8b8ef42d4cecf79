// EndpointSlices as the two controllers that make them see them: which ones a controller manages for a Service, which of them carry the same
// ports, whether two endpoints are the same one, and how a change of slices becomes writes.
//
// Slices of other managers are never looked at: the label endpointslice.kubernetes.io/managed-by says whose a slice is.
import { type discoveryv1, objectKeyOf } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import {
  type Action,
  create,
  defineIndex,
  editObject,
  type Index,
  removeObject,
  type Snapshot,
} from "@kubeloop/core/contract";
import { endpointSlices } from "@kubeloop/core/resources";

type EndpointSlice = discoveryv1.EndpointSlice;
type Endpoint = discoveryv1.Endpoint;

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";

/** By manager and key of the Service. */
export const slicesByService: Index<EndpointSlice> = defineIndex("manager-and-service", endpointSlices, (slice) => {
  const manager = slice.metadata.labels?.[managedByLabel];
  const key = serviceKeyOf(slice);
  return manager === undefined || key === undefined ? [] : [`${manager} ${key}`];
});

/** The key of the Service that the slice names; undefined if it names none. */
export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceNameLabel] ?? "";
  return name === "" ? undefined : objectKeyOf(metadata.namespace ?? "", name);
}

/** By name, so that a decision does not depend on the order of a cache. Slices that are being deleted are left out: nothing more can be said in them. */
export function slicesOfService(snapshot: Snapshot, manager: string, key: string): readonly EndpointSlice[] {
  const all = snapshot.byIndex(slicesByService, `${manager} ${key}`);
  return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byName);
}

const byName = (one: EndpointSlice, other: EndpointSlice) => {
  const [a = "", b = ""] = [one.metadata.name, other.metadata.name];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** The same text for the same ports, in whatever order they are. */
export function portsKey(ports: readonly discoveryv1.EndpointPort[] | null | undefined): string {
  const each = (ports ?? []).map(({ name = "", protocol = "TCP", port = null, appProtocol = null }) =>
    JSON.stringify([name, protocol, port, appProtocol]),
  );
  return each.sort().join(" ");
}

/** The same text for the same endpoint, whatever is said of it: conditions, zone and hints are changed in place. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  const sorted = addresses.length < 2 ? addresses : addresses.toSorted();
  return JSON.stringify([sorted, hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Whether the same is said of the same endpoint. Hints do not count, nor does the version of the pod that it stands for. */
export function hasSameContent(one: Endpoint, other: Endpoint): boolean {
  const { resourceVersion: _one, ...target } = one.targetRef ?? {};
  const { resourceVersion: _other, ...otherTarget } = other.targetRef ?? {};
  return (
    one.nodeName === other.nodeName &&
    one.zone === other.zone &&
    one.conditions?.ready === other.conditions?.ready &&
    one.conditions?.serving === other.conditions?.serving &&
    one.conditions?.terminating === other.conditions?.terminating &&
    deepEqual(target, otherTarget)
  );
}

/** For `generateName`: with a dash if the name stays short enough for one. */
export function sliceNamePrefix(owner: string): string {
  return owner.length < 253 ? `${owner}-` : owner;
}

export interface SliceUpdate {
  readonly before: EndpointSlice;
  readonly after: EndpointSlice;
}

/** What is to become of the slices of one Service. */
export interface SliceChanges {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly SliceUpdate[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * Lets slices that would be created take the place of those that would be deleted: one write instead of two, and a watcher that sees the one
 * never sees the addresses gone in between. `mayReplace` says which slice may become which.
 */
export function recycleSlices(
  changes: SliceChanges,
  mayReplace: (removed: EndpointSlice, created: EndpointSlice) => boolean,
): SliceChanges {
  const created = [...changes.create];
  const update = [...changes.update];
  const remove = changes.remove.filter((removed) => {
    const at = created.findLastIndex((each) => mayReplace(removed, each));
    const [next] = at < 0 ? [] : created.splice(at, 1);
    if (next === undefined) return true;
    const { name = "" } = removed.metadata;
    update.push({ before: removed, after: { ...next, metadata: { ...next.metadata, name } } });
    return false;
  });
  return { create: created, update, remove };
}

/** Creates, then updates, then deletes: an address is never missing while it moves from one slice to another. */
export function sliceActions({ create: created, update, remove }: SliceChanges): readonly Action[] {
  return [
    ...created.map((slice) => create(endpointSlices, slice, { tolerates: ["NamespaceTerminating"] })),
    ...update.flatMap(({ before, after }) => editObject(endpointSlices, before, after) ?? []),
    // A conflict is a slice that was made anew under its name: that one is not meant.
    ...remove.map((slice) => removeObject(endpointSlices, slice, { tolerates: ["NotFound", "Conflict"] })),
  ];
}
