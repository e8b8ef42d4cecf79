// When memory counts as flat: the rule of the soak.
//
// Samples are taken after a garbage collection, in order. The first third is warm-up: caches and history fill. Memory is flat if the median of the
// last third is at most a tenth above the median of the second third. A leak of a tenth in a third of a run is found; what is slower needs a longer run.
import { median } from "../budget.ts";

export const mostGrowth = 1.1;
/** Of fewer samples no third says anything. */
export const leastSamples = 6;

export type MemoryVerdict =
  | { readonly kind: "flat" | "growing"; readonly growth: number; readonly secondMb: number; readonly lastMb: number }
  | { readonly kind: "too short" };

export function judgeMemory(samplesMb: readonly number[]): MemoryVerdict {
  if (samplesMb.length < leastSamples) return { kind: "too short" };
  const third = Math.floor(samplesMb.length / 3);
  const secondMb = median(samplesMb.slice(-2 * third, -third));
  const lastMb = median(samplesMb.slice(-third));
  const growth = lastMb / secondMb;
  return { kind: growth <= mostGrowth ? "flat" : "growing", growth, secondMb, lastMb };
}
