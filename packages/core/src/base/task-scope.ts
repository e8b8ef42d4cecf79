// Structured concurrency: a scope is a group of tasks under one signal. The scope ends only when all its tasks have ended,
// the first failure aborts the others, and no task outlives its scope.
//
// A task that returns does not stop the other tasks. A task that rejects because the scope was aborted has not failed.
import { isAborted } from "./errors.ts";
import { OnAbortController, onAbort } from "./signal.ts";

export type Task<T = unknown> = (signal: AbortSignal) => PromiseLike<T> | T;

export class TaskScope implements AsyncDisposable {
  readonly #parent: AbortSignal;
  readonly #controller = new OnAbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  // Set from the start until `join` has waited for all tasks, and again from the next task on.
  #watch: Disposable | undefined;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    this.#follow();
  }

  /**
   * Aborts when the parent aborts, when a task fails, or when the scope is closed. After a `join` it follows the parent only
   * from the next task on.
   */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts a task immediately. Its failure aborts the scope. The returned promise has the task's value. */
  spawn<T>(task: Task<T>): Promise<T> {
    this.#follow();
    const work = runTask(task, this.signal);
    const watched = work.then(
      () => {},
      (error: unknown) => this.#fail(error),
    );
    this.#running.add(watched);
    void watched.then(() => this.#running.delete(watched));
    // `join` throws the failures of the tasks. A caller may also await `work` and see the failure there, but does not have to.
    work.catch(() => {});
    return work;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Waits until no task is running, including tasks that were started meanwhile. Throws the failure of a task, or an
   * AggregateError if several failed.
   */
  async join(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    if (this.#failures.length === 1) throw this.#failures[0];
    if (this.#failures.length > 1) throw new AggregateError(this.#failures, `${this.#failures.length} tasks failed`);
  }

  /** Aborts the tasks that still run, and waits for them. */
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
 * other tasks and is thrown. If the parent aborts and a task rejects with its reason, this function rejects with that reason too.
 */
export async function runTogether<T>(parent: AbortSignal, tasks: readonly Task<T>[]): Promise<T[]> {
  const scope = new TaskScope(parent);
  const results = tasks.map((task) => scope.spawn(task));
  await scope.join();
  return await Promise.all(results);
}

// A task that throws synchronously fails like any other.
async function runTask<T>(task: Task<T>, signal: AbortSignal): Promise<T> {
  return await task(signal);
}
