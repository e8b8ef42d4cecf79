// One runnable of a manager, with its state. It is started at most once. It is over when its `run` has returned or thrown.
import {
  type ChildSignal,
  childSignal,
  deferred,
  isAborted,
  KubeloopError,
  toError,
  untilAborted,
} from "../../base/index.ts";
import { type GroupName, groupOf, type Runnable } from "./runnable.ts";

export type MemberState = "waiting" | "running" | "ended" | "failed";

export class Member {
  readonly runnable: Runnable;
  readonly group: GroupName;
  readonly #onFailure: (member: Member, error: Error) => void;
  readonly #over = deferred();
  #state: MemberState = "waiting";
  #error: Error | undefined;
  #stop: ChildSignal | undefined;

  /** `onFailure` is called once, when `run` throws anything but the reason of the abort. */
  constructor(runnable: Runnable, onFailure: (member: Member, error: Error) => void) {
    this.runnable = runnable;
    this.group = groupOf(runnable);
    this.#onFailure = onFailure;
  }

  get name(): string {
    return this.runnable.name;
  }

  get state(): MemberState {
    return this.#state;
  }

  /** Returns what is wrong, for `/readyz`. */
  findFault(): string | undefined {
    return this.#error === undefined ? this.runnable.findFault?.() : `has failed: ${this.#error.message}`;
  }

  start(signal: AbortSignal): void {
    if (this.#state !== "waiting") return;
    this.#state = "running";
    this.#stop = childSignal(signal);
    void this.#run(this.#stop);
  }

  /** Waits until the runnable is ready or over. Throws the signal's reason if it aborts. */
  async whenReady(signal: AbortSignal): Promise<void> {
    using patience = childSignal(signal);
    const ready = (async () => await this.runnable.whenReady?.(patience.signal))();
    // If the runnable is over first, a later rejection of `ready` is ignored.
    ready.catch(() => {});
    try {
      await untilAborted(Promise.race([ready, this.#over.promise]), signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      // A server that cannot listen rejects both `whenReady` and `run`; the error of `run` is the one that is reported.
      this.abort(error);
      await untilAborted(this.#over.promise, signal);
      if (this.#error === undefined) this.#fail(toError(error));
    } finally {
      patience.abort(over);
    }
  }

  abort(reason?: unknown): void {
    if (this.#state === "waiting") this.#end("ended");
    else this.#stop?.abort(reason);
  }

  /** Resolves when the runnable is over; immediately if it was aborted before it was started. */
  async whenOver(): Promise<void> {
    await this.#over.promise;
  }

  async #run(stop: ChildSignal): Promise<void> {
    using held = stop;
    try {
      await this.runnable.run(held.signal);
      this.#end("ended");
    } catch (error) {
      if (isAborted(error, held.signal)) this.#end("ended");
      else this.#fail(toError(error));
    }
  }

  #fail(error: Error): void {
    this.#error = error;
    this.#end("failed");
    this.#onFailure(this, error);
  }

  #end(state: "ended" | "failed"): void {
    this.#state = state;
    this.#over.resolve();
  }
}

const over = new KubeloopError("nobody waits for it any more", { reason: "Over", retry: "never" });
