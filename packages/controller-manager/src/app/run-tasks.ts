// Runs the controllers together, each after a start interval with jitter, until the signal aborts or one fails; then waits for them, no longer
// than the shutdown timeout, and says meanwhile who is still at work.
import {
  type Clock,
  deferred,
  KubeloopError,
  type Log,
  onAbort,
  type Random,
  TaskScope,
  toError,
} from "@kubeloop/core/base";

export interface Task {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface RunTasksOptions {
  readonly startIntervalMs: number;
  /** 0 waits for ever. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The tasks did not end in time: what they still do, nobody waits for. */
export class ShutdownTimeoutError extends KubeloopError {
  override readonly name = "ShutdownTimeoutError";
}

/** Ends when the signal has aborted, also if there are no tasks. Throws when a task fails, and when the shutdown takes too long. */
export async function runTasks(tasks: readonly Task[], options: RunTasksOptions, signal: AbortSignal): Promise<void> {
  const { startIntervalMs, clock, random } = options;
  const running = new Set<string>();
  const scope = new TaskScope(signal);
  for (const { name, run } of tasks) {
    void scope.spawn(async (each) => {
      if (startIntervalMs > 0) await clock.sleep(startIntervalMs * (1 + random.next()), each);
      running.add(name);
      try {
        await run(each);
      } finally {
        running.delete(name);
      }
    });
  }
  void scope.spawn((each) => untilAborted(each));
  using limit = newShutdownLimit(scope.signal, running, options);
  await Promise.race([scope.join(), limit.exceeded]);
}

/** Also a manager without controllers runs until it is told to stop. */
async function untilAborted(signal: AbortSignal): Promise<void> {
  const aborted = deferred();
  using _waiting = onAbort(signal, () => aborted.resolve());
  await aborted.promise;
}

interface ShutdownLimit extends Disposable {
  /** Rejects when the shutdown has taken too long. */
  readonly exceeded: Promise<never>;
}

function newShutdownLimit(
  signal: AbortSignal,
  running: ReadonlySet<string>,
  { shutdownTimeoutMs, clock, log }: RunTasksOptions,
): ShutdownLimit {
  const exceeded = deferred<never>();
  const timers: Disposable[] = [];
  const names = () => [...running].sort();
  const begin = (reason: unknown) => {
    if (shutdownTimeoutMs <= 0) return;
    for (const part of [1, 2]) {
      timers.push(
        clock.after((shutdownTimeoutMs * part) / 3, () =>
          log.info("Still waiting for some controllers to terminate...", { runningControllers: names() }),
        ),
      );
    }
    timers.push(
      clock.after(shutdownTimeoutMs, () => {
        log.info("Controller shutdown timeout reached", { timeoutMs: shutdownTimeoutMs, runningControllers: names() });
        const message = "controller shutdown timeout reached";
        exceeded.reject(new ShutdownTimeoutError(message, { reason: "Timeout", cause: toError(reason) }));
      }),
    );
  };
  const watch = onAbort(signal, begin);
  return {
    exceeded: exceeded.promise,
    [Symbol.dispose]() {
      watch[Symbol.dispose]();
      for (const timer of timers) timer[Symbol.dispose]();
      exceeded.promise.catch(() => {});
    },
  };
}
