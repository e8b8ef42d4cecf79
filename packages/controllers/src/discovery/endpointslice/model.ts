// What is remembered between looks: how the zones share the CPUs, which Services have topology-aware hints for which zones, when pods last
// became ready, and what the gauges count. All but the times of pods is found again in the caches after a restart.
import type { corev1 } from "@kubeloop/core/api";
import type { Change, Learned, Measurement, Wake } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { type GroupCount, SliceCounts } from "../../domain/slice-counts.ts";
import { SliceEchoes } from "../../domain/slice-echoes.ts";
import type { TriggerTimes } from "../../domain/trigger-times.ts";
import type { AddressType, DecidedSlices } from "./decide.ts";
import {
  desiredEndpointSlices,
  endpointsDesired,
  numEndpointSlices,
  servicesByTrafficDistribution,
} from "./metrics.ts";
import { manager, type Observed } from "./observe.ts";
import { type HintedZones, isOverloaded } from "./topology-hints.ts";
import { type ZoneRatios, Zones } from "./zones.ts";

/** The one key of the queue that looks for Services whose hints fit the nodes no longer. */
export const zonesWake: Wake = { queue: "topology", key: "zones" };

export class EndpointSliceModel {
  readonly zones = new Zones();
  readonly echoes = new SliceEchoes(manager);
  readonly #counts: SliceCounts;
  readonly #times = new Map<string, TriggerTimes>();
  readonly #hints = new Map<string, ReadonlyMap<AddressType, HintedZones>>();
  readonly #withHints = new Set<string>();
  /** Those that ask for hints and could not be given any. */
  readonly #withoutHints = new Set<string>();
  readonly #distributions = new Map<string, string>();
  /** All that there ever were: a gauge that was above 0 goes back to 0. */
  readonly #services = new Map<string, number>();

  constructor(mostPerSlice: number) {
    this.#counts = new SliceCounts({ most: mostPerSlice, least: 1 });
  }

  timesOf(key: string): TriggerTimes | undefined {
    return this.#times.get(key);
  }

  hasHints(key: string): boolean {
    return this.#withHints.has(key);
  }

  /**
   * Those whose hints fit the nodes no longer, and those that ask for hints and have none: upstream lets the latter wait for their next change, which may
   * have been seen before the node that brings the zone back.
   */
  misfittingServices(): readonly string[] {
    const { ratios } = this.zones;
    const overloaded = [...this.#hints]
      .filter(([, byType]) => [...byType.values()].some((zones) => isOverloaded(zones, ratios)))
      .map(([key]) => key);
    return ratios === undefined ? overloaded : [...overloaded, ...this.#withoutHints];
  }

  noteTimes(key: string, times: TriggerTimes): void {
    this.#times.set(key, times);
  }

  /** Without an entry for an address type it has no hints for it. */
  noteHints(key: string, byType: ReadonlyMap<AddressType, HintedZones>, hasHints: boolean): void {
    if (byType.size === 0) this.#hints.delete(key);
    else this.#hints.set(key, byType);
    if (hasHints) this.#withHints.add(key);
    else this.#withHints.delete(key);
  }

  noteWithoutHints(key: string, isWithout: boolean): void {
    if (isWithout) this.#withoutHints.add(key);
    else this.#withoutHints.delete(key);
  }

  noteCounts(key: string, groups: ReadonlyMap<AddressType, readonly GroupCount[]>): void {
    for (const type of addressTypes) {
      const its = groups.get(type);
      if (its === undefined) this.#counts.forget(`${type} ${key}`);
      else this.#counts.set(`${type} ${key}`, its);
    }
  }

  noteDistribution(key: string, distribution: string | undefined): void {
    const before = this.#distributions.get(key);
    if (before === distribution) return;
    if (before !== undefined) this.#services.set(before, (this.#services.get(before) ?? 0) - 1);
    if (distribution === undefined) {
      this.#distributions.delete(key);
      return;
    }
    this.#distributions.set(key, distribution);
    this.#services.set(distribution, (this.#services.get(distribution) ?? 0) + 1);
  }

  forget(key: string): void {
    this.echoes.forget(key);
    this.#times.delete(key);
    this.noteHints(key, new Map(), false);
    this.noteWithoutHints(key, false);
    this.noteCounts(key, new Map());
    this.noteDistribution(key, undefined);
  }

  measure(): readonly Measurement[] {
    const { endpoints, slices, desiredSlices } = this.#counts.total;
    return [
      endpointsDesired.set(endpoints),
      numEndpointSlices.set(slices),
      desiredEndpointSlices.set(desiredSlices),
      ...[...this.#services].map(([name, count]) =>
        servicesByTrafficDistribution.set(count, { traffic_distribution: name }),
      ),
    ];
  }
}

const addressTypes: readonly AddressType[] = ["IPv4", "IPv6"];

/** Somebody who changes one slice often changes several: they are looked at together. */
export const newAbsorb =
  ({ sliceDelayMs }: { readonly sliceDelayMs: number }) =>
  (model: EndpointSliceModel, change: Change): readonly Wake[] =>
    change.resource.plural === nodes.plural
      ? absorbNode(model, change)
      : model.echoes.absorb(change).map((key) => ({ key, afterMs: sliceDelayMs }));

function absorbNode(model: EndpointSliceModel, change: Change): readonly Wake[] {
  const node = change.object as corev1.Node;
  const isChanged = change.type === "delete" ? model.zones.forget(node) : model.zones.set(node);
  return isChanged ? [zonesWake] : [];
}

export const newLearn =
  ({ sliceDelayMs }: { readonly sliceDelayMs: number }) =>
  (model: EndpointSliceModel, observed: Observed, learned: Learned<DecidedSlices>): readonly Wake[] => {
    const { key, isGone } = observed;
    const isChanged = model.echoes.end(key, learned.outcome);
    if (isGone) model.forget(key);
    remember(model, observed, learned);
    // Nodes that changed meanwhile were compared with the hints before these.
    const again = haveZonesChanged(model, observed) ? [key] : [];
    return isChanged ? [...again, { key, afterMs: sliceDelayMs }] : again;
  };

function haveZonesChanged({ zones }: EndpointSliceModel, { selecting }: Observed): boolean {
  return selecting !== undefined && !isSameShares(selecting.topology.ratios, zones.ratios);
}

function isSameShares(a: ZoneRatios | undefined, b: ZoneRatios | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.size === b.size && [...a].every(([zone, share]) => b.get(zone) === share);
}

function remember(model: EndpointSliceModel, { key }: Observed, { outcome }: Learned<DecidedSlices>): void {
  const { notes } = outcome;
  if (notes === undefined) return;
  // The next try still belongs to the change that this one was for.
  if (!outcome.hasFailed) model.noteTimes(key, notes.times);
  model.noteHints(key, notes.hints, notes.hasHints);
  model.noteWithoutHints(key, notes.usesTopology && notes.hints.size === 0);
  model.noteCounts(key, notes.counts);
  model.noteDistribution(key, notes.distribution);
}
