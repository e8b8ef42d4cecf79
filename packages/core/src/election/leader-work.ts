// The work of a leader: begun at most once, ended by its signal, always waited for.
import { isAborted, KubeloopError } from "../base/index.ts";

/** What the leader's work gets. */
export interface Leadership {
  /** Aborts when this process no longer leads, or is stopped. */
  readonly signal: AbortSignal;
  /** Grows with every change of hands: a writer that adds it to what it writes can be distinguished from its predecessors. */
  readonly fencingToken: number;
}

export class LeaderWork {
  readonly #work: (leadership: Leadership) => Promise<void>;
  readonly #onEnded: () => void;
  readonly #controller = new AbortController();
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `onEnded` is called when the work ends, whether it was stopped or ended by itself. */
  constructor(work: (leadership: Leadership) => Promise<void>, onEnded: () => void) {
    this.#work = work;
    this.#onEnded = onEnded;
  }

  get hasBegun(): boolean {
    return this.#running !== undefined;
  }

  begin(fencingToken: number): void {
    this.#running = this.#run({ signal: this.#controller.signal, fencingToken });
  }

  /** Tells the work to end. */
  abort(why: string): void {
    this.#controller.abort(new KubeloopError(`no longer leading: ${why}`, { reason: "NotLeading", retry: "never" }));
  }

  /** Tells the work to end, if there is any, and waits until it has. Throws what it threw. */
  async end(why: string): Promise<void> {
    this.abort(why);
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #run(leadership: Leadership): Promise<void> {
    try {
      await this.#work(leadership);
    } catch (error) {
      if (!isAborted(error, leadership.signal)) this.#failure = { error };
    }
    this.#onEnded();
  }
}
