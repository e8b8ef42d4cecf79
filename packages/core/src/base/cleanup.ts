// What to undo, last in first out. Every step runs even when others fail; their errors come out together at the end. For
// whatever owns several things at once: it defers each as it gets it, and hands the lot over with `move()` on success.

type CleanupStep = () => unknown;

export class Cleanup implements AsyncDisposable {
  #steps: CleanupStep[] = [];

  get size(): number {
    return this.#steps.length;
  }

  /** Runs `step`, and waits for it, when the stack is disposed of. */
  defer(step: CleanupStep): void {
    this.#steps.push(step);
  }

  /** Disposes of `resource` with the stack; returns it. */
  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.#steps.push(() =>
      Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose](),
    );
    return resource;
  }

  /** Everything deferred so far, under a new owner; this stack is empty afterwards. */
  move(): Cleanup {
    const moved = new Cleanup();
    moved.#steps = this.#steps;
    this.#steps = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    // A step may defer another one: it runs next.
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
