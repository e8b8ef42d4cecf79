// Turns the signals that end a process into one AbortSignal: the first signal aborts it for an orderly stop, the second exits immediately.
//
//   using stop = openStopSignal();
//   await manager.run(stop.signal);
import { defaultLog, KubeloopError, type Log } from "../../base/index.ts";

/** The part of node's `process` that this needs. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): unknown;
}

export interface StopSignalOptions {
  /** This process unless given. */
  readonly process?: SignalSource;
  /** SIGINT and SIGTERM unless given. */
  readonly signals?: readonly NodeJS.Signals[];
  readonly log?: Log;
}

/** Disposing it removes the signal handlers, so that Node's default behavior applies again. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
}

export function openStopSignal(options: StopSignalOptions = {}): StopSignal {
  const { process: source = process, signals = ["SIGINT", "SIGTERM"], log = defaultLog } = options;
  const controller = new AbortController();
  const hear = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      log.error("second signal: exits at once", { signal });
      source.exit(1);
      return;
    }
    log.info("signal: stops", { signal });
    controller.abort(new KubeloopError(`received ${signal}`, { reason: "Stopped", retry: "never" }));
  };
  for (const signal of signals) source.on(signal, hear);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const signal of signals) source.off(signal, hear);
    },
  };
}
