// Maps items concurrently, a few at a time; results are in the order of the items. The first failure aborts the rest
// and is thrown when all have ended.
import { runTogether } from "../../base/index.ts";

export async function mapBounded<T, R>(
  things: readonly T[],
  work: (thing: T, signal: AbortSignal) => Promise<R>,
  { maxParallel }: { readonly maxParallel: number },
  signal: AbortSignal,
): Promise<R[]> {
  const results: R[] = [];
  // Shared by the workers: each takes the next item.
  const rest = things.entries();
  const worker = async (own: AbortSignal) => {
    for (const [index, thing] of rest) results[index] = await work(thing, own);
  };
  await runTogether(
    signal,
    Array.from({ length: Math.min(Math.max(maxParallel, 1), things.length) }, () => worker),
  );
  return results;
}
