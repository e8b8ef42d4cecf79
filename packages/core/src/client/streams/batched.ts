// A decoded stream: read once, by one reader, in batches as they arrive or value by value.
import { KubeloopError } from "../../base/errors.ts";

export interface Batched<T> extends AsyncIterable<T> {
  /** Arrays of values that arrived together, never empty. Efficient: one promise per batch. */
  batches(): AsyncGenerator<readonly T[], void, undefined>;
  /** Value by value, at the cost of a few promises each. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
}

/** A second reader gets an error, because otherwise it would miss values and see an end where the stream has none. */
export function readOnce<T>(source: AsyncGenerator<readonly T[], void, undefined>): Batched<T> {
  let isTaken = false;
  const batches = () => {
    if (isTaken) throw new KubeloopError("a stream can be read only once", { reason: "Invalid", retry: "never" });
    isTaken = true;
    return source;
  };
  return { batches, [Symbol.asyncIterator]: () => flatten(batches()) };
}

async function* flatten<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
  for await (const batch of batches) yield* batch;
}
