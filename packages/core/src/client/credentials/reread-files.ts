// Files that somebody else rotates: a projected token, a CA bundle, a certificate with its key. Read again when asked and
// long enough has passed, compared by content (kubelet's mounts swap symbolic links, so times of change say little).
//
// Promises: a new generation only for new content that decodes; once something good was read, trouble later on (absent for
// a moment, half written, a key that does not fit its certificate yet) keeps the last good value and looks again soon.
import { type Clock, inFlight, isAborted, type Log, SharedWork } from "../../base/index.ts";
import { CredentialsError } from "./credentials-error.ts";
import { fileFault, type Host } from "./host.ts";

export interface RereadContext {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RereadOptions<T> extends RereadContext {
  readonly paths: readonly string[];
  /** How long what was read is good for. */
  readonly everyMs: number;
  /** From the texts, in the order of the paths; throws when they cannot be used. */
  readonly decode: (...texts: string[]) => T;
}

export interface FileVersion<T> {
  readonly value: T;
  /** 1 for what was read first. */
  readonly generation: number;
}

interface Reading<T> extends FileVersion<T> {
  readonly texts: readonly string[];
}

/** When to look again after a look that failed. */
const retryMs = 1_000;

export class RereadFiles<T> {
  readonly #options: RereadOptions<T>;
  readonly #look: SharedWork<FileVersion<T>>;
  #last: Reading<T> | undefined;
  #dueMs = 0;

  constructor(options: RereadOptions<T>) {
    this.#options = options;
    this.#look = new SharedWork((signal) => inFlight(options.clock, "reading files", () => this.#lookNow(signal)));
  }

  async current(signal: AbortSignal): Promise<FileVersion<T>> {
    signal.throwIfAborted();
    const isFresh = this.#last !== undefined && this.#options.clock.monotonic() < this.#dueMs;
    return isFresh && this.#last !== undefined ? this.#last : await this.#look.join(signal);
  }

  /** As `current`, but looks whatever the time. */
  reread(signal: AbortSignal): Promise<FileVersion<T>> {
    return this.#look.join(signal);
  }

  async #lookNow(signal: AbortSignal): Promise<FileVersion<T>> {
    const { clock, log, paths, everyMs } = this.#options;
    try {
      this.#last = await this.#read(signal);
      this.#dueMs = clock.monotonic() + everyMs;
    } catch (error) {
      if (this.#last === undefined || isAborted(error, signal)) throw error;
      log.warn("file could not be read again, keeping what it held", { paths, error });
      this.#dueMs = clock.monotonic() + Math.min(retryMs, everyMs);
    }
    return this.#last;
  }

  async #read(signal: AbortSignal): Promise<Reading<T>> {
    const { paths, decode } = this.#options;
    const texts = await Promise.all(paths.map((path) => readText(this.#options.host, path, signal)));
    const last = this.#last;
    if (last?.texts.every((text, index) => text === texts[index])) return last;
    return { texts, value: decode(...texts), generation: (last?.generation ?? 0) + 1 };
  }
}

/** The text of a file; an error names it. */
export async function readText(host: Host, path: string, signal: AbortSignal): Promise<string> {
  try {
    return await host.readFile(path, signal);
  } catch (cause) {
    if (isAborted(cause, signal)) throw cause;
    throw new CredentialsError(`${path}: ${fileFault(cause)}`, { reason: "Unreadable", cause });
  }
}
