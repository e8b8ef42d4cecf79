// What is remembered between looks: what the gauges count, and what this controller has written itself.
import type { Change, Learned, Measurement, Wake } from "@kubeloop/core/contract";
import { SliceCounts } from "../../domain/slice-counts.ts";
import { SliceEchoes } from "../../domain/slice-echoes.ts";
import type { DecidedMirror } from "./decide.ts";
import { desiredEndpointSlices, endpointsDesired, numEndpointSlices } from "./metrics.ts";
import { manager, type Observed } from "./observe.ts";

export class MirrorCounts {
  readonly slices: SliceCounts;
  readonly echoes = new SliceEchoes(manager);

  constructor(most: number) {
    this.slices = new SliceCounts({ most, least: 0 });
  }

  measure(): readonly Measurement[] {
    const { endpoints, slices, desiredSlices } = this.slices.total;
    return [endpointsDesired.set(endpoints), numEndpointSlices.set(slices), desiredEndpointSlices.set(desiredSlices)];
  }
}

export const newLearn =
  ({ batchMs }: { readonly batchMs: number }) =>
  ({ slices, echoes }: MirrorCounts, observed: Observed, { outcome }: Learned<DecidedMirror>): readonly Wake[] => {
    const { key } = observed;
    const isChanged = echoes.end(key, outcome);
    // Nothing is mirrored, and nothing is left of what was.
    if (observed.mirrored === undefined && observed.slices.length === 0) echoes.forget(key);
    const { groups } = outcome.notes ?? {};
    if (groups === undefined) slices.forget(key);
    else slices.set(key, groups);
    return isChanged ? [{ key, afterMs: batchMs }] : [];
  };

export const newAbsorb =
  ({ batchMs }: { readonly batchMs: number }) =>
  ({ echoes }: MirrorCounts, change: Change): readonly Wake[] =>
    echoes.absorb(change).map((key) => ({ key, afterMs: batchMs }));
