// The work of a leader: begun at most once, ended by its signal, always waited for.
import { isAborted, KubeloopError } from "../base/index.ts";

/** What the leader's work gets. */
export interface Leadership {
  /** Aborts when we lead no longer, or are told to stop. */
  readonly signal: AbortSignal;
  /** Grows with every change of hands: a writer who puts it into what it writes can be told from its predecessors. */
  readonly fencingToken: number;
}

export class LeaderWork {
  readonly #work: (leadership: Leadership) => Promise<void>;
  readonly #onEnded: () => void;
  readonly #controller = new AbortController();
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `onEnded` is told when the work ends before it was asked to. */
  constructor(work: (leadership: Leadership) => Promise<void>, onEnded: () => void) {
    this.#work = work;
    this.#onEnded = onEnded;
  }

  begin(fencingToken: number): void {
    this.#running = this.#run({ signal: this.#controller.signal, fencingToken });
  }

  /** Aborts the work, if there is any, and waits until it has ended. Throws what it threw. */
  async end(why: string): Promise<void> {
    this.#controller.abort(new KubeloopError(`no longer leading: ${why}`, { reason: "NotLeading", retry: "never" }));
    await this.#running;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #run(leadership: Leadership): Promise<void> {
    try {
      await this.#work(leadership);
    } catch (error) {
      if (!isAborted(error, leadership.signal)) this.#failure = { error };
    }
    if (!leadership.signal.aborted) this.#onEnded();
  }
}
