// The work of a leader. It is started at most once and ended by its signal, and the elector always waits until it has ended.
import { isAborted, KubeloopError } from "../base/index.ts";

/** The argument of the leader's work. */
export interface Leadership {
  /** Aborts when this process no longer leads, or is stopped. */
  readonly signal: AbortSignal;
  /** Grows with every change of the holder. A leader that adds it to its writes can be distinguished from its predecessors. */
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

  /** Aborts the signal of the work. */
  abort(why: string): void {
    this.#controller.abort(new KubeloopError(`no longer leading: ${why}`, { reason: "NotLeading", retry: "never" }));
  }

  /** Aborts the signal of the work, and waits until the work, if it was started, has ended. Throws what the work threw. */
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
