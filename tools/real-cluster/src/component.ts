// One component of the cluster through all its lives: started until ready, stopped, killed, paused, started again with
// the same flags, port and data. A start that fails throws with the last lines of the component's log.
//
// Ports are chosen before they are bound, so another program may be faster: on its first start a component that cannot
// bind its port is started again on another one. Later it keeps the one its clients know.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { childSignal, systemClock, timeoutSignal } from "@kubeloop/core/base";
import { hasCode, RealClusterError } from "./errors.ts";
import { findFreePort } from "./ports.ts";
import type { ComponentName } from "./programs.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { untilTrue } from "./wait.ts";

export interface ComponentSpec {
  readonly name: ComponentName;
  /** The program's path. */
  readonly path: string;
  /** The cluster's throw-away folder. */
  readonly folder: string;
  readonly flags: (port: number) => readonly string[];
  /** Whether the component serves; a connection that fails counts as no. */
  readonly isReady: (port: number, signal: AbortSignal) => Promise<boolean>;
  readonly startTimeoutMs: number;
}

const stopGraceMs = 15_000;
const probeEveryMs = 25;
const bindAttempts = 5;
const shownLogLines = 25;

export class Component {
  readonly #spec: ComponentSpec;
  readonly #logPath: string;
  #process: SupervisedProcess | undefined;
  #port: number | undefined;

  constructor(spec: ComponentSpec) {
    this.#spec = spec;
    this.#logPath = join(spec.folder, `${spec.name}.log`);
  }

  /** The port it was given; undefined before its first start. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Its process id; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#process?.hasExited === false ? this.#process.pid : undefined;
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#port !== undefined) return this.#launch(this.#port, signal);
    for (let attempt = 1; ; attempt++) {
      const port = await findFreePort();
      try {
        await this.#launch(port, signal);
        this.#port = port;
        return;
      } catch (error) {
        if (attempt === bindAttempts || !(await this.#hasLostItsPort(port))) throw error;
      }
    }
  }

  /** Asks it to end, and kills it if it does not. */
  async stop(): Promise<void> {
    await this.#process?.stop(stopGraceMs);
    this.#process = undefined;
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  pause(): void {
    this.#process?.pause();
  }

  resume(): void {
    this.#process?.resume();
  }

  /** Everything it has printed in all its lives. */
  async logs(): Promise<string> {
    try {
      return await readFile(this.#logPath, "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return "";
      throw error;
    }
  }

  /** Runs the program until it is ready. If it is not, or the signal fires, it is gone afterwards. */
  async #launch(port: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name, path, folder, flags, startTimeoutMs } = this.#spec;
    const started = await SupervisedProcess.start({
      path,
      flags: flags(port),
      logPath: this.#logPath,
      throwAwayFolder: folder,
    });
    this.#process = started;
    try {
      using timeLimit = timeoutSignal(signal, startTimeoutMs, { clock: systemClock, what: `starting ${name}` });
      await this.#untilReady(started, port, timeLimit.signal);
    } catch (error) {
      await this.kill();
      signal.throwIfAborted();
      const lines = (await this.logs()).trimEnd().split("\n").slice(-shownLogLines).join("\n");
      const why = error instanceof Error ? error.message : String(error);
      throw new RealClusterError(`${name} did not start: ${why}; the end of its log:\n${lines}`, {
        reason: "StartFailed",
        cause: error,
      });
    }
  }

  async #untilReady(started: SupervisedProcess, port: number, signal: AbortSignal): Promise<void> {
    using probing = childSignal(signal);
    const ended = started.exited.then((status) => {
      const error = new RealClusterError(`it ended with status ${status}`, { reason: "StartFailed" });
      probing.abort(error);
      throw error;
    });
    await Promise.race([untilTrue((s) => this.#spec.isReady(port, s), probeEveryMs, probing.signal), ended]);
  }

  async #hasLostItsPort(port: number): Promise<boolean> {
    return (await this.logs()).includes(`:${port}: bind: address already in use`);
  }
}
