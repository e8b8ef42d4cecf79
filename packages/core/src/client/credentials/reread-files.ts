// Files that are rotated from outside: a projected token, a CA bundle, a certificate with its key. They are read again on use,
// once enough time has passed, and compared by content (kubelet swaps symbolic links in its mounts, so modification times say
// little).
//
// Promises: the generation increases only for new content that decodes. After a successful read, a later failure (a file is absent
// for a moment, half written, or a key does not match its certificate yet) keeps the last good value and is retried soon.
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
  /** How long a read value is used without reading again. */
  readonly everyMs: number;
  /** Decodes the texts, in the order of the paths; throws if they cannot be used. */
  readonly decode: (...texts: string[]) => T;
}

export interface FileVersion<T> {
  readonly value: T;
  /** 1 for the first read. */
  readonly generation: number;
}

interface Reading<T> extends FileVersion<T> {
  readonly texts: readonly string[];
}

/** How long the last good value is used after a failed read before the next use reads again. */
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

  /** Like `current`, but does not wait until a read is due; joins a read in progress. */
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
      log.warn("file could not be read again, keeping its last content", { paths, error });
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

/** Returns the text of a file; an error names the file. */
export async function readText(host: Host, path: string, signal: AbortSignal): Promise<string> {
  try {
    return await host.readFile(path, signal);
  } catch (cause) {
    if (isAborted(cause, signal)) throw cause;
    throw new CredentialsError(`${path}: ${fileFault(cause)}`, { reason: "Unreadable", cause });
  }
}
