// The rules of the endpointslice-mirroring controller: from Endpoints to the slices that say the same.
//
// Each subset becomes one slice for each family of addresses that it has, so subsets are repacked first: ports that lead to the same addresses
// are in one. A slice has the endpoints of its subset up to a limit; what is beyond is left out.
import { type corev1, type discoveryv1, newControllerReference } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type DecideContext, type Decision, inOrder, plan } from "@kubeloop/core/contract";
import { canonicalIp } from "@kubeloop/core/rules";
import type { IpFamily } from "../../domain/endpoint-pods.ts";
import {
  endpointKey,
  hasSameContent,
  managedByLabel,
  portsKey,
  recycleSlices,
  type SliceUpdate,
  serviceNameLabel,
  sliceActions,
  sliceNamePrefix,
} from "../../domain/endpoint-slices.ts";
import { repackSubsets } from "../../domain/endpoint-subsets.ts";
import { sortSlicePorts } from "../../domain/go-order.ts";
import type { GroupCount } from "../../domain/slice-counts.ts";
import { triggerTimeAnnotation } from "../../domain/trigger-times.ts";
import {
  addressesSkippedPerSync,
  endpointsAddedPerSync,
  endpointsRemovedPerSync,
  endpointsUpdatedPerSync,
} from "./metrics.ts";
import { manager, type Observed } from "./observe.ts";

type Endpoints = corev1.Endpoints;
type Endpoint = discoveryv1.Endpoint;
type EndpointSlice = discoveryv1.EndpointSlice;

export interface DecideOptions {
  /** How many endpoints of one subset are mirrored at most. */
  readonly maxPerSubset: number;
}

/** For `report` and `learn`. */
export interface DecidedMirror {
  readonly beganMs: number;
  /** Undefined if nothing is mirrored. */
  readonly groups: readonly GroupCount[] | undefined;
  /** How many are no addresses. */
  readonly invalid: number;
  /** How many were left out, those that are no addresses included. */
  readonly skipped: number;
}

export const newDecide =
  ({ maxPerSubset }: DecideOptions) =>
  ({ mirrored, slices }: Observed, { nowMs }: DecideContext): Decision<DecidedMirror> => {
    if (mirrored === undefined) {
      const notes = { beganMs: nowMs, groups: undefined, invalid: 0, skipped: 0 };
      return plan("not mirrored", [sliceActions({ create: [], update: [], remove: slices })], { notes });
    }
    const { groups, invalid, skipped } = groupAddresses(mirrored, maxPerSubset);
    const byKey = new Map<string, EndpointSlice[]>();
    for (const slice of slices) {
      const key = groupKey(slice.addressType, slice.ports);
      byKey.set(key, [...(byKey.get(key) ?? []), slice]);
    }
    const created: EndpointSlice[] = [];
    const update: SliceUpdate[] = [];
    const remove: EndpointSlice[] = [];
    const counts: GroupCount[] = [];
    const totals = { added: 0, updated: 0, removed: 0 };
    for (const [key, group] of groups) {
      const [first, ...others] = byKey.get(key) ?? [];
      remove.push(...others);
      const wanted = [...group.endpoints.values()];
      const changes = changesOf(first, group.endpoints);
      totals.added += changes.added;
      totals.updated += changes.updated;
      totals.removed += changes.removed;
      if (first !== undefined && wanted.length === 0) remove.push(first);
      else if (first !== undefined) {
        const isSame = changes.added + changes.updated + changes.removed === 0;
        const content = contentOf(mirrored, first.metadata);
        // Their order means nothing: if they are the same, they stay as they are.
        if (!isSame || !isSameContent(first, content)) {
          // As upstream, which writes a slice anew under its name: from then on that is no generated name.
          const { generateName: _generated, ...metadata } = content.metadata;
          update.push({
            before: first,
            after: { ...first, metadata, endpoints: isSame ? (first.endpoints ?? []) : wanted },
          });
        }
      } else if (wanted.length > 0) created.push(newSlice(mirrored, group, wanted));
      counts.push({ endpoints: wanted.length, slices: wanted.length === 0 ? 0 : 1 });
    }
    for (const [key, its] of byKey) if (!groups.has(key)) remove.push(...its);

    const isSameType = (removed: EndpointSlice, next: EndpointSlice) => removed.addressType === next.addressType;
    const changes = recycleSlices({ create: created, update, remove }, isSameType);
    // No slice is created for Endpoints that are being deleted: the garbage collector would delete it, and this controller create it again.
    const isGoing = mirrored.metadata.deletionTimestamp !== undefined;
    const actions = sliceActions(isGoing ? { ...changes, create: [] } : changes);
    return plan("mirrored", [[inOrder(...actions)]], {
      notes: { beganMs: nowMs, groups: counts, invalid, skipped },
      measures: [
        addressesSkippedPerSync.observe(skipped),
        endpointsAddedPerSync.observe(totals.added),
        endpointsUpdatedPerSync.observe(totals.updated),
        endpointsRemovedPerSync.observe(totals.removed),
      ],
    });
  };

interface Group {
  readonly addressType: IpFamily;
  readonly ports: readonly discoveryv1.EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

const groupKey = (addressType: string, ports: EndpointSlice["ports"]) => `${addressType} ${portsKey(ports)}`;

/** A group for each subset and family, also where there are no addresses: slices of such are not needed any more. */
function groupAddresses(mirrored: Endpoints, maxPerSubset: number) {
  const groups = new Map<string, Group>();
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(mirrored.subsets)) {
    const slicePorts = sortSlicePorts(ports.map(toSlicePort));
    const groupOf = (addressType: IpFamily) => {
      const key = groupKey(addressType, slicePorts);
      const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: new Map<string, Endpoint>() };
      groups.set(key, group);
      return group;
    };
    const byFamily = { IPv4: groupOf("IPv4"), IPv6: groupOf("IPv6") };
    let added = 0;
    const all = [
      ...addresses.map((each) => [each, true] as const),
      ...notReadyAddresses.map((each) => [each, false] as const),
    ];
    for (const [address, isReady] of all) {
      if (added >= maxPerSubset) break;
      const ip = canonicalIp(address.ip);
      if (ip === undefined) {
        invalid++;
        continue;
      }
      const endpoint = toEndpoint(address, ip.ip, isReady);
      byFamily[ip.family].endpoints.set(endpointKey(endpoint), endpoint);
      added++;
    }
    skipped += all.length - added;
  }
  return { groups, invalid, skipped };
}

const toSlicePort = ({ name = "", port, protocol = "TCP", appProtocol }: corev1.EndpointPort) => ({
  name,
  port,
  protocol,
  ...(appProtocol === undefined ? {} : { appProtocol }),
});

function toEndpoint({ hostname, nodeName, targetRef }: corev1.EndpointAddress, ip: string, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

/** How a slice differs from what is wanted. */
function changesOf(slice: EndpointSlice | undefined, wanted: ReadonlyMap<string, Endpoint>) {
  let [kept, updated, removed] = [0, 0, 0];
  for (const endpoint of slice?.endpoints ?? []) {
    const its = wanted.get(endpointKey(endpoint));
    if (its === undefined) removed++;
    else {
      kept++;
      if (!hasSameContent(its, endpoint)) updated++;
    }
  }
  return { added: wanted.size - kept, updated, removed };
}

const notMirrored = [triggerTimeAnnotation, "kubectl.kubernetes.io/last-applied-configuration"];

/** Labels, annotations and owner are those of the Endpoints. */
function contentOf(mirrored: Endpoints, metadata: EndpointSlice["metadata"]): Pick<EndpointSlice, "metadata"> {
  const { labels, annotations = {}, name = "" } = mirrored.metadata;
  return {
    metadata: {
      ...metadata,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: manager },
      annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !notMirrored.includes(key))),
      ownerReferences: [newControllerReference({ ...mirrored, apiVersion: "v1", kind: "Endpoints" })],
    },
  };
}

/** Whether a slice has these labels, annotations and owner. */
function isSameContent({ metadata }: EndpointSlice, content: Pick<EndpointSlice, "metadata">): boolean {
  const { labels, annotations, ownerReferences } = content.metadata;
  return (
    deepEqual(metadata.labels ?? {}, labels ?? {}) &&
    deepEqual(metadata.annotations ?? {}, annotations ?? {}) &&
    deepEqual(metadata.ownerReferences ?? [], ownerReferences ?? [])
  );
}

function newSlice(mirrored: Endpoints, { addressType, ports }: Group, endpoints: readonly Endpoint[]): EndpointSlice {
  const { namespace = "", name = "" } = mirrored.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    ...contentOf(mirrored, { namespace, generateName: sliceNamePrefix(name) }),
    addressType,
    // An empty list is left out, as in the protobuf that upstream sends.
    ...(ports.length === 0 ? {} : { ports }),
    endpoints,
  };
}
