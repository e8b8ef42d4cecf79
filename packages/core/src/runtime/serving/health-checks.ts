// The named checks of one endpoint, which run at each request. Each has its own timeout, so that a check that hangs is reported by name and
// does not block the probe. The checks run in parallel and are reported in the order they were added. "ping" is the first, unless there is to be
// none: it shows that the process answers.
import {
  type Clock,
  isAborted,
  KubeloopError,
  systemClock,
  timeoutSignal,
  toError,
  untilAborted,
} from "../../base/index.ts";

/** Returns a description of what is wrong; undefined if the check passes. A check that throws has failed, too. */
export type HealthCheck = (signal: AbortSignal) => string | undefined | Promise<string | undefined>;

export type CheckResult =
  | { readonly name: string; readonly kind: "ok" | "excluded" }
  | { readonly name: string; readonly kind: "failed"; readonly fault: string };

export interface HealthChecksOptions {
  readonly clock?: Clock;
  /** Timeout of each check; 5 s unless given. */
  readonly checkTimeoutMs?: number;
  /** Whether there is the check "ping"; true unless given. */
  readonly hasPing?: boolean;
}

// Names that can be part of a URL path without escaping.
const validName = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

export class HealthChecks {
  readonly #clock: Clock;
  readonly #checkTimeoutMs: number;
  readonly #checks = new Map<string, HealthCheck>();

  constructor({ clock = systemClock, checkTimeoutMs = 5000, hasPing = true }: HealthChecksOptions = {}) {
    this.#clock = clock.labelled({ kind: "background", name: "health check" });
    this.#checkTimeoutMs = checkTimeoutMs;
    if (hasPing) this.#checks.set("ping", () => undefined);
  }

  get names(): readonly string[] {
    return [...this.#checks.keys()];
  }

  /** Adds a check; disposing the result removes it. Throws if the name is in use, or cannot be part of a URL path. */
  add(name: string, check: HealthCheck): Disposable {
    if (!validName.test(name)) throw misuse(`"${name}" cannot be the name of a health check`);
    if (this.#checks.has(name)) throw misuse(`there is a health check called ${name} already`);
    this.#checks.set(name, check);
    return {
      [Symbol.dispose]: () => {
        if (this.#checks.get(name) === check) this.#checks.delete(name);
      },
    };
  }

  /** Runs one check. Returns undefined if there is no check with this name. */
  async look(name: string, signal: AbortSignal): Promise<CheckResult | undefined> {
    const check = this.#checks.get(name);
    return check === undefined ? undefined : await this.#lookAt(name, check, signal);
  }

  async lookAtAll(excluded: ReadonlySet<string>, signal: AbortSignal): Promise<readonly CheckResult[]> {
    return await Promise.all(
      [...this.#checks].map(([name, check]) =>
        excluded.has(name) ? ({ name, kind: "excluded" } as const) : this.#lookAt(name, check, signal),
      ),
    );
  }

  async #lookAt(name: string, check: HealthCheck, signal: AbortSignal): Promise<CheckResult> {
    using limit = timeoutSignal(signal, this.#checkTimeoutMs, { clock: this.#clock, what: `check ${name}` });
    try {
      const fault = await untilAborted(Promise.resolve(check(limit.signal)), limit.signal);
      return fault === undefined ? { name, kind: "ok" } : { name, kind: "failed", fault };
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      return { name, kind: "failed", fault: toError(error).message };
    }
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
