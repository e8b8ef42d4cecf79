// A value that is computed on demand and cached until `notify` says that its inputs have changed.
//
// Promises: a caller after a `notify` gets a value whose computation started after it. All callers between two
// notifications share one computation. The result of a computation that was overtaken by a `notify` goes only to the callers before it. A failure
// goes to the callers that wait for it and is not cached.

export class Lazy<T> {
  readonly #evaluate: () => T | Promise<T>;
  #current: Promise<T> | undefined;

  constructor(evaluate: () => T | Promise<T>) {
    this.#evaluate = evaluate;
  }

  /** The inputs of the value have changed. Costs nothing until the next call. */
  notify(): void {
    this.#current = undefined;
  }

  get(): Promise<T> {
    if (this.#current !== undefined) return this.#current;
    const evaluation = this.#run();
    this.#current = evaluation;
    evaluation.catch(() => {
      if (this.#current === evaluation) this.#current = undefined;
    });
    return evaluation;
  }

  async #run(): Promise<T> {
    return await this.#evaluate();
  }
}
