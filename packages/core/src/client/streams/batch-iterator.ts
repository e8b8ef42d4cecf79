// An async iterator of batches with the interface of an async generator: nothing more comes after it has ended, failed or been
// left. It does not queue calls: its reader must wait for each `next` before the following one. A generator would be as short, but
// each of its steps costs several times as much, and compiling it takes longer than reading ten thousand objects: too much for a
// path that every byte takes.

export interface BatchSource<T> {
  /** Returns the next batch; undefined at the end. */
  draw(): Promise<readonly T[] | undefined>;
  /** Called once at the end: after the last batch, after `draw` threw, or when the reader left, perhaps before the first read. */
  leave(): Promise<void>;
}

export function batchIterator<T>(source: BatchSource<T>): AsyncGenerator<readonly T[], void, undefined> {
  return new BatchIterator(source);
}

const ended = { done: true, value: undefined } as const;

class BatchIterator<T> implements AsyncGenerator<readonly T[], void, undefined> {
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
