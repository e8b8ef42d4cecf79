// A value that is worked out when somebody asks, and kept until somebody says that what it depends on has changed.
//
// Promises: whoever asks after a `notify` gets a value whose evaluation began after it; everyone who asks between two
// notifications shares one evaluation; one that was overtaken by a `notify` reaches only those who asked before; a failure
// is told to those who wait for it and is not kept.

export class Lazy<T> {
  readonly #evaluate: () => T | Promise<T>;
  #current: Promise<T> | undefined;

  constructor(evaluate: () => T | Promise<T>) {
    this.#evaluate = evaluate;
  }

  /** What the value depends on has changed. Costs nothing until somebody asks. */
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
