// The rules of the endpointslice controller: from a Service and its pods to the slices that it should have.
//
// Slices are made for each family of addresses that the Service has, and within it for each set of ports: pods whose ports of the same name
// have other numbers are in other slices. packing.ts says which endpoint goes into which slice, topology-hints.ts and traffic-distribution.ts
// what it is meant for.
import { type corev1, newControllerReference } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type Action, type Decision, inOrder, type Measurement, nothing, plan } from "@kubeloop/core/contract";
import { type IpFamily, isEndpoint } from "../../domain/endpoint-pods.ts";
import {
  portsKey,
  recycleSlices,
  type SliceChanges,
  sliceActions,
  sliceNamePrefix,
} from "../../domain/endpoint-slices.ts";
import type { GroupCount } from "../../domain/slice-counts.ts";
import {
  lastChangeTriggerTime,
  type TriggerTimes,
  triggerTimesOf,
  withTriggerTime,
} from "../../domain/trigger-times.ts";
import { type DraftSlice, type EndpointSlice, withoutHints } from "./draft-slices.ts";
import { endpointsAddedPerSync, endpointsRemovedPerSync } from "./metrics.ts";
import type { Observed, SelectingService } from "./observe.ts";
import { packEndpoints } from "./packing.ts";
import { groupEndpoints } from "./pod-endpoints.ts";
import { hasOtherLabels, labelsFor } from "./slice-labels.ts";
import { addTopologyHints, type HintedZones } from "./topology-hints.ts";
import { distributeTraffic, type TrafficDistribution, trafficDistributionOf } from "./traffic-distribution.ts";

type Service = corev1.Service;
export type AddressType = IpFamily;

export interface DecideOptions {
  /** How many endpoints a slice holds at most. */
  readonly most: number;
  /** Whether PreferSameZone and PreferSameNode count. */
  readonly knowsPreferSame: boolean;
}

/** For `report` and `learn`. */
export interface DecidedSlices {
  readonly times: TriggerTimes;
  readonly hints: ReadonlyMap<AddressType, HintedZones>;
  readonly hasHints: boolean;
  readonly counts: ReadonlyMap<AddressType, readonly GroupCount[]>;
  readonly distribution: TrafficDistribution | undefined;
  readonly usesTopology: boolean;
  /** The writes for each type of address that the Service has. */
  readonly actions: readonly (readonly Action[])[];
  readonly events: readonly HintsEvent[];
}

export interface HintsEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export const newDecide =
  ({ most, knowsPreferSame }: DecideOptions) =>
  ({ selecting }: Observed): Decision<DecidedSlices> => {
    if (selecting === undefined) return nothing("no pods to look for");
    const { service, pods, slices, times: before, topology } = selecting;
    const times = triggerTimesOf(service, pods);
    const time = lastChangeTriggerTime(before, times);
    const usesTopology = wantsTopologyHints(service);
    const distribution = usesTopology ? undefined : trafficDistributionOf(service, { knowsPreferSame });
    const types = addressTypesOf(service);

    const counts = new Map<AddressType, readonly GroupCount[]>();
    const hints = new Map<AddressType, HintedZones>();
    const events: HintsEvent[] = [];
    const actions: (readonly Action[])[] = [];
    const measures: Measurement[] = [];
    let { hasHints } = selecting;
    for (const type of types) {
      const drafted = draftSlices(selecting, type, most);
      counts.set(type, drafted.counts);
      measures.push(endpointsAddedPerSync.observe(drafted.added), endpointsRemovedPerSync.observe(drafted.removed));
      let { drafts } = drafted;
      const say = (level: HintsEvent["type"], what: "Enabled" | "Disabled", message: string) =>
        events.push({ type: level, reason: `TopologyAwareHints${what}`, message: `${message}, addressType: ${type}` });
      if (usesTopology) {
        const hinted = addTopologyHints(drafts, topology);
        drafts = hinted.drafts;
        if (hinted.zones === undefined) say("Warning", "Disabled", hinted.refusal);
        else {
          hints.set(type, hinted.zones);
          if (!hasHints) say("Normal", "Enabled", "Topology Aware Hints has been enabled");
        }
        hasHints = hinted.zones !== undefined;
      } else {
        if (hasHints) say("Warning", "Disabled", "Topology Aware Hints has been disabled");
        hasHints = false;
        drafts = distribution === undefined ? withoutHints(drafts) : distributeTraffic(drafts, distribution);
      }
      actions.push(sliceActions(toChanges(service, type, { drafts, remove: drafted.remove }, time)));
    }
    const unsupported = slices.filter(({ addressType }) => !types.includes(addressType as AddressType));
    const notes = { times, hints, hasHints, counts, distribution, usesTopology, actions, events };
    const removals = sliceActions({ create: [], update: [], remove: unsupported });
    return plan("slices", [[...actions.map((each) => inOrder(...each)), ...removals]], {
      notes,
      measures,
      unfinished: findLostPods(selecting),
    });
  };

/** Both annotations say the same; the older one goes first. */
function wantsTopologyHints({ metadata }: Service): boolean {
  const { annotations = {} } = metadata;
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ?? annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

/** A server that knows families always sets them. If there are none, the address tells; a headless Service may have both. */
function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family): family is AddressType => isFamily(family));
  if (families.length > 0) return [...new Set(families)];
  const { clusterIP = "" } = spec ?? {};
  if (clusterIP === "" || clusterIP === "None") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}

const isFamily = (family: string): boolean => family === "IPv4" || family === "IPv6";

/**
 * A pod whose node is not known is left out, and the Service looked at again: its zone is not known, and it may be gone with its node. Where pods
 * that are not ready are published, it is published, too.
 */
function findLostPods({ service, pods, nodeOf }: SelectingService): Error | undefined {
  if (service.spec?.publishNotReadyAddresses === true) return undefined;
  const lost = pods.filter((pod) => isEndpoint(pod, { countsTerminating: true }) && nodeOf(pod) === undefined);
  if (lost.length === 0) return undefined;
  const { namespace, name } = service.metadata;
  const each = lost.map(
    ({ metadata, spec }) =>
      `skipping Pod ${metadata.name} for Service ${namespace}/${name}: Node ${spec?.nodeName ?? ""} Not Found`,
  );
  return new Error(each.length === 1 ? each[0] : `[${each.join(", ")}]`);
}

interface Drafted {
  readonly drafts: readonly DraftSlice[];
  readonly remove: readonly EndpointSlice[];
  readonly counts: readonly GroupCount[];
  readonly added: number;
  readonly removed: number;
}

function draftSlices(selecting: SelectingService, type: AddressType, most: number): Drafted {
  const { service, slices } = selecting;
  const its = slices.filter(({ addressType }) => addressType === type);
  // Of a Service of this name that is gone: the garbage collector has not come to them yet.
  const foreign = its.filter((slice) => !isOwnedBy(slice, service));
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of its.filter((each) => isOwnedBy(each, service))) {
    const key = portsKey(slice.ports);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  const groups = groupEndpoints(selecting, type);
  const drafts: DraftSlice[] = [];
  const remove = [...foreign];
  const counts: GroupCount[] = [];
  let added = 0;
  let removed = 0;
  for (const [key, { ports, endpoints }] of groups) {
    const existing = byPorts.get(key) ?? [];
    const isOutdated = (slice: EndpointSlice) => hasOtherLabels(slice, service);
    const packed = packEndpoints(existing, endpoints, { most, ports, isOutdated });
    drafts.push(...packed.drafts);
    remove.push(...packed.remove);
    counts.push({ endpoints: endpoints.size, slices: packed.drafts.length });
    added += packed.added;
    removed += packed.removed;
  }
  for (const [key, existing] of byPorts) if (!groups.has(key)) remove.push(...existing);
  if (drafts.length > 0) return { drafts, remove, counts, added, removed };

  // A placeholder, so that one sees that the Service was looked at and has no endpoints.
  const [only, ...others] = remove;
  const isThere = only !== undefined && others.length === 0 && isPlaceholder(only, service);
  const placeholder = { before: undefined, ports: [], endpoints: [], isChanged: true };
  return {
    drafts: isThere ? [] : [placeholder],
    remove: isThere ? [] : remove,
    counts: [{ endpoints: 0, slices: 1 }],
    added,
    removed,
  };
}

const isOwnedBy = ({ metadata }: EndpointSlice, service: Service) =>
  (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );

function isPlaceholder({ ports, endpoints, metadata }: EndpointSlice, service: Service): boolean {
  return (ports ?? []).length === 0 && (endpoints ?? []).length === 0 && deepEqual(metadata.labels, labelsFor(service));
}

/** No slice is created for a Service that is being deleted: the garbage collector would delete it, and this controller create it again. */
function toChanges(
  service: Service,
  addressType: AddressType,
  { drafts, remove }: Pick<Drafted, "drafts" | "remove">,
  time: string | undefined,
): SliceChanges {
  const labels = labelsFor(service);
  const { namespace = "", name = "" } = service.metadata;
  const created = drafts
    .filter(({ before }) => before === undefined)
    .map(
      ({ ports, endpoints }): EndpointSlice => ({
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          namespace,
          generateName: sliceNamePrefix(name),
          labels,
          annotations: withTriggerTime(undefined, time),
          ownerReferences: [newControllerReference({ ...service, apiVersion: "v1", kind: "Service" })],
        },
        addressType,
        // Empty lists are left out, as in the protobuf that upstream sends: the server notes who set them otherwise.
        ...(ports.length === 0 ? {} : { ports }),
        ...(endpoints.length === 0 ? {} : { endpoints }),
      }),
    );
  const update = drafts.flatMap(({ before, endpoints, isChanged }) => {
    if (before === undefined || !isChanged) return [];
    const annotations = withTriggerTime(before.metadata.annotations, time);
    return [{ before, after: { ...before, metadata: { ...before.metadata, labels, annotations }, endpoints } }];
  });
  const changes = recycleSlices({ create: created, update, remove }, (removed) => isOwnedBy(removed, service));
  return service.metadata.deletionTimestamp === undefined ? changes : { ...changes, create: [] };
}
