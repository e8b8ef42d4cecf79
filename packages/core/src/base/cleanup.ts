// A stack of clean-up steps, run last in, first out. Every step runs even if others fail; their errors are thrown together at the end.
// A function that acquires several resources defers a step for each, and on success passes all steps to a new owner with `move()`.

type CleanupStep = () => unknown;

export class Cleanup implements AsyncDisposable {
  #steps: CleanupStep[] = [];

  get size(): number {
    return this.#steps.length;
  }

  /** Runs `step`, and waits for it, when this stack is disposed of. */
  defer(step: CleanupStep): void {
    this.#steps.push(step);
  }

  /** Disposes of `resource` together with this stack; returns `resource`. */
  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.#steps.push(() =>
      Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
    );
    return resource;
  }

  /** Moves every step deferred so far to a new stack, and returns that stack. This stack is empty afterwards. */
  move(): Cleanup {
    const moved = new Cleanup();
    moved.#steps = this.#steps;
    this.#steps = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    // A step may defer another step, which then runs next.
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} clean-up steps failed`);
  }
}
