// Who starts a task waits for it. A scope is a group of tasks under one signal: it ends only when all of them have ended,
// the first failure aborts the others, and nothing that was started in it outlives it.
//
// A task that merely ends does not stop its siblings. A task that rejects because the scope was aborted has not failed.
import { isAborted } from "./errors.ts";
import { onAbort, TellingController } from "./signal.ts";

export type Task<T = unknown> = (signal: AbortSignal) => PromiseLike<T> | T;

export class TaskScope implements AsyncDisposable {
  readonly #parent: AbortSignal;
  readonly #controller = new TellingController();
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  // From the beginning until everything has been waited for, and again from the next task on.
  #watch: Disposable | undefined;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    this.#follow();
  }

  /** Aborts when the parent does, when a task fails, or when the scope is closed. After a join, from the next task on. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts a task now. Its failure aborts the scope; its value, if wanted, comes through `spawn`'s promise. */
  spawn<T>(task: Task<T>): Promise<T> {
    this.#follow();
    const work = runTask(task, this.signal);
    const watched = work.then(
      () => {},
      (error: unknown) => this.#fail(error),
    );
    this.#running.add(watched);
    void watched.then(() => this.#running.delete(watched));
    // The scope reports failures in `join`; whoever also awaits `work` sees them there too, and nobody has to.
    work.catch(() => {});
    return work;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Waits until no task is running, those started meanwhile included. Throws what failed: the error itself, or an
   * AggregateError of several.
   */
  async join(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    if (this.#failures.length === 1) throw this.#failures[0];
    if (this.#failures.length > 1) throw new AggregateError(this.#failures, `${this.#failures.length} tasks failed`);
  }

  /** Aborts what still runs and waits for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.join();
  }

  #follow(): void {
    this.#watch ??= onAbort(this.#parent, (reason) => this.#controller.abort(reason));
  }

  #fail(error: unknown): void {
    if (isAborted(error, this.signal)) return;
    this.#failures.push(error);
    this.#controller.abort(error);
  }
}

/**
 * Runs the tasks under one signal and waits for all of them; returns their results in order. The first failure aborts the
 * rest and is thrown. When the parent aborts and a task rejects with its reason, so does this.
 */
export async function runTogether<T>(parent: AbortSignal, tasks: readonly Task<T>[]): Promise<T[]> {
  const scope = new TaskScope(parent);
  const results = tasks.map((task) => scope.spawn(task));
  await scope.join();
  return await Promise.all(results);
}

// A task that throws before its first await fails like any other.
async function runTask<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
  return await task(signal);
}
