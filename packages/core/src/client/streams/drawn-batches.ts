// Batches that are drawn one after the other, as an async generator would give them: never two at a time, and nothing more
// once they have ended, failed or been left. A generator written as such is as short, but each of its steps costs several
// times as much, and compiling it takes longer than reading ten thousand objects: too much for what every byte goes through.

export interface BatchSource<T> {
  /** The next batch; undefined when there is none any more. */
  draw(): Promise<readonly T[] | undefined>;
  /** Called once, whichever way it ends: there was no more, `draw` threw, or the reader left, perhaps before the beginning. */
  leave(): Promise<void>;
}

export function drawn<T>(source: BatchSource<T>): AsyncGenerator<readonly T[], void, undefined> {
  return new DrawnBatches(source);
}

const ended = { done: true, value: undefined } as const;

class DrawnBatches<T> implements AsyncGenerator<readonly T[], void, undefined> {
  readonly #source: BatchSource<T>;
  #hasEnded = false;

  constructor(source: BatchSource<T>) {
    this.#source = source;
  }

  async next(): Promise<IteratorResult<readonly T[], void>> {
    if (this.#hasEnded) return ended;
    let value: readonly T[] | undefined;
    try {
      value = await this.#source.draw();
    } catch (error) {
      await this.#end();
      throw error;
    }
    if (value !== undefined) return { done: false, value };
    await this.#end();
    return ended;
  }

  async return(): Promise<IteratorResult<readonly T[], void>> {
    await this.#end();
    return ended;
  }

  async throw(error: unknown): Promise<IteratorResult<readonly T[], void>> {
    await this.#end();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.#source.leave();
  }
}
