// One runnable of a manager through its life. It is started at most once; it has ended when its `run` has, whatever came of it.
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

  /** For `/readyz`. */
  findFault(): string | undefined {
    return this.#error === undefined ? this.runnable.findFault?.() : `has failed: ${this.#error.message}`;
  }

  start(signal: AbortSignal): void {
    if (this.#state !== "waiting") return;
    this.#state = "running";
    this.#stop = childSignal(signal);
    void this.#run(this.#stop);
  }

  /** Ready, or over: then there is nothing more to wait for. Throws the signal's reason. */
  async whenReady(signal: AbortSignal): Promise<void> {
    using patience = childSignal(signal);
    const ready = (async () => await this.runnable.whenReady?.(patience.signal))();
    // When it is over, whether it could have been ready is nobody's concern any more.
    ready.catch(() => {});
    try {
      await untilAborted(Promise.race([ready, this.#over.promise]), signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      // A server that cannot listen fails on both ways; the way it ends is the one that counts.
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

  /** Resolves when it is over; at once for one that was never started and never will be. */
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
