// The result of decoding a stream: read once, by one reader, in batches as they arrive or value by value.
import { KubeloopError } from "../../base/errors.ts";

export interface Batched<T> extends AsyncIterable<T> {
  /** Arrays of what arrived together, never empty. The cheap way: one promise for a batch. */
  batches(): AsyncGenerator<readonly T[], void, undefined>;
  /** Value by value, at the price of a few promises for each. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}

/** A second reader gets an error: it would see an end where there was none. */
export function readOnce<T>(source: AsyncGenerator<readonly T[], void, undefined>): Batched<T> {
  let isTaken = false;
  const batches = () => {
    if (isTaken) throw new KubeloopError("a stream is read once", { reason: "Invalid", retry: "never" });
    isTaken = true;
    return source;
  };
  return { batches, [Symbol.asyncIterator]: () => flatten(batches()) };
}

async function* flatten<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
  for await (const batch of batches) yield* batch;
}
