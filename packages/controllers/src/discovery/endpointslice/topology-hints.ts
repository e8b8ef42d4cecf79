// Topology-aware hints: each ready endpoint is meant for one zone, so that traffic stays in its zone where it can. Each zone gets about the
// share of the endpoints that it has of the CPUs, so that no endpoint gets more than 20 % more traffic than without hints.
//
// An endpoint is first meant for the zone it is in. Zones with more than their share then give some to zones with less. Hints of slices that do
// not change otherwise stay as they are while they allow that. If it cannot be done, all hints are removed, and an event says why.
import type { discoveryv1 } from "@kubeloop/core/api";
import { type DraftSlice, isReady, withHints, withoutHints } from "./draft-slices.ts";
import type { ZoneRatios } from "./zones.ts";

/** How many endpoints are meant for each zone. */
export type HintedZones = ReadonlyMap<string, number>;

const overload = 0.2;

interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

export type Hinted =
  | { readonly drafts: readonly DraftSlice[]; readonly zones: HintedZones; readonly refusal?: undefined }
  /** `refusal` is why there are no hints, as upstream's event says it. */
  | { readonly drafts: readonly DraftSlice[]; readonly zones?: undefined; readonly refusal: string };

export interface TopologyOptions {
  /** Undefined if they are not known. */
  readonly ratios: ZoneRatios | undefined;
  readonly hasSeenNodes: boolean;
}

export function addTopologyHints(drafts: readonly DraftSlice[], options: TopologyOptions): Hinted {
  const refuse = (refusal: string): Hinted => ({ drafts: withoutHints(drafts), refusal });
  const ready = drafts.reduce((sum, { endpoints }) => sum + endpoints.filter(isReady).length, 0);
  const allocations = allocate(ready, options);
  if (typeof allocations === "string") return refuse(allocations);

  const hinted = new Map<string, number>();
  const count = (zone: string, by: number) => hinted.set(zone, (hinted.get(zone) ?? 0) + by);
  // Slices that are to change: the others' hints stay.
  const open = drafts.map((draft) => {
    const its = draft.isChanged ? undefined : hintsThatStay(draft, hinted, allocations);
    for (const [zone, number] of its ?? []) count(zone, number);
    return its === undefined;
  });
  for (const [i, { endpoints }] of drafts.entries()) {
    if (open[i] !== true) continue;
    for (const endpoint of endpoints.filter(isReady)) {
      if (!endpoint.zone) return refuse("One or more endpoints do not have a zone specified");
      count(endpoint.zone, 1);
    }
  }
  const moves = planMoves(allocations, hinted);
  const done = drafts.map((draft, i) => {
    if (open[i] !== true) return draft;
    const endpoints = draft.endpoints.map((endpoint) => {
      if (!isReady(endpoint)) return endpoint;
      const { zone = "" } = endpoint;
      const receiver = moves.take(zone);
      if (receiver !== undefined) {
        count(receiver, 1);
        count(zone, -1);
      }
      return withHints(endpoint, hintFor(receiver ?? zone));
    });
    return { ...draft, endpoints, isChanged: true };
  });
  return { drafts: done, zones: hinted };
}

const hintFor = (zone: string): discoveryv1.EndpointHints => ({ forZones: [{ name: zone }] });

/** Whether some zone has fewer endpoints than it needs, or is not known to have any. A Service without hints is never overloaded. */
export function isOverloaded(zones: HintedZones, ratios: ZoneRatios | undefined): boolean {
  if (zones.size === 0) return false;
  if (ratios === undefined || ratios.size === 0) return true;
  const total = [...zones.values()].reduce((sum, number) => sum + number, 0);
  return [...ratios].some(([zone, ratio]) => {
    const has = zones.get(zone);
    return has === undefined || has < leastOf(total * ratio);
  });
}

const leastOf = (desired: number) => Math.ceil(desired * (1 / (1 + overload)));

/** By zone, or why there are none. */
function allocate(ready: number, { ratios, hasSeenNodes }: TopologyOptions): ReadonlyMap<string, Allocation> | string {
  if (!hasSeenNodes) return "Nodes only ready in one zone";
  if (ratios === undefined) {
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  }
  const size = `(${ready} endpoints, ${ratios.size} zones)`;
  if (ratios.size > ready) return `Insufficient number of endpoints ${size}`;
  const minimums = new Map([...ratios].map(([zone, ratio]) => [zone, leastOf(ratio * ready)]));
  const spare = [...minimums.values()].reduce((left, minimum) => left - minimum, ready);
  if (spare < 0) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${size}`;
  }
  return new Map(
    [...minimums].map(([zone, minimum]) => {
      const desired = Math.max((ratios.get(zone) ?? 0) * ready, minimum);
      return [zone, { minimum, maximum: minimum + spare, desired }];
    }),
  );
}

/** How many endpoints a slice means for each zone; undefined if it must change: one has no hint, or a zone gets too many, or is none. */
function hintsThatStay(
  { endpoints }: DraftSlice,
  hinted: HintedZones,
  allocations: ReadonlyMap<string, Allocation>,
): HintedZones | undefined {
  const its = new Map<string, number>();
  for (const { hints } of endpoints.filter(isReady)) {
    const zones = hints?.forZones ?? [];
    if (zones.length === 0) return undefined;
    for (const { name } of zones) its.set(name, (its.get(name) ?? 0) + 1);
  }
  const isTooMuch = ([zone, number]: readonly [string, number]) => {
    const allocation = allocations.get(zone);
    return allocation === undefined || number + (hinted.get(zone) ?? 0) > allocation.maximum;
  };
  return [...its].some(isTooMuch) ? undefined : its;
}

/** Which zones give endpoints to which. Fractions count only until less than half an endpoint is left on either side. */
function planMoves(allocations: ReadonlyMap<string, Allocation>, hinted: HintedZones) {
  const surplus = new Map<string, number>();
  const need = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (hinted.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    if (difference < 0) need.set(zone, -difference);
  }
  const giving = new Map<string, number>();
  const receiving: string[] = [];
  for (;;) {
    const [giver, toGive] = mostOf(surplus);
    const [receiver, toReceive] = mostOf(need);
    if (giver === "" || receiver === "" || (toGive < 1 && toReceive < 1) || toGive < 0.5 || toReceive < 0.5) break;
    giving.set(giver, (giving.get(giver) ?? 0) + 1);
    surplus.set(giver, toGive - 1);
    receiving.push(receiver);
    need.set(receiver, toReceive - 1);
  }
  return {
    /** The zone that gets an endpoint of this one; undefined if it stays. */
    take(zone: string): string | undefined {
      const left = giving.get(zone) ?? 0;
      if (left === 0) return undefined;
      giving.set(zone, left - 1);
      return receiving.shift();
    },
  };
}

function mostOf(zones: ReadonlyMap<string, number>): readonly [zone: string, number: number] {
  let most: readonly [string, number] = ["", 0];
  for (const [zone, number] of zones) if (number > most[1]) most = [zone, number];
  return most;
}
