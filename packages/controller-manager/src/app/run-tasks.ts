// Runs the controllers together, each after a start interval with jitter, until the signal aborts; then waits for them, no longer than the
// shutdown timeout, and says now and then who is still at work.
import { type Clock, isAborted, KubeloopError, type Log, onAbort, type Random, TaskScope } from "@kubeloop/core/base";

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

/** Throws when a task fails, and when the shutdown takes too long. */
export async function runTasks(tasks: readonly Task[], options: RunTasksOptions, signal: AbortSignal): Promise<void> {
  const { startIntervalMs, shutdownTimeoutMs, clock, random, log } = options;
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
  const ended = scope.join();
  await Promise.race([ended, untilShutdownTimeout()]).catch((error: unknown) => {
    if (!isAborted(error, signal)) throw error;
  });

  function untilShutdownTimeout(): Promise<never> {
    return new Promise((_resolve, reject) => {
      onAbort(signal, () => {
        if (shutdownTimeoutMs <= 0) return;
        const remind = clock.after(shutdownTimeoutMs / 3, () => {
          log.info("Still waiting for some controllers to terminate", { runningControllers: [...running].sort() });
        });
        const limit = clock.after(shutdownTimeoutMs, () => {
          const message = "controller shutdown timeout reached";
          log.info(message, { runningControllers: [...running].sort() });
          reject(new KubeloopError(message, { reason: "Timeout" }));
        });
        void ended
          .catch(() => {})
          .finally(() => {
            remind[Symbol.dispose]();
            limit[Symbol.dispose]();
          });
      });
    });
  }
}
