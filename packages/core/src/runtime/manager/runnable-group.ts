// A group of runnables that start together and stop together. A runnable that is added to a started group starts immediately; nothing can be
// added to a stopped group.
import { deferred, isAborted, KubeloopError, onAbort } from "../../base/index.ts";
import type { Member } from "./member.ts";
import type { GroupName } from "./runnable.ts";

export class RunnableGroup {
  readonly name: GroupName;
  readonly #members = new Set<Member>();
  readonly #stop = new AbortController();
  #state: "waiting" | "started" | "stopped" = "waiting";

  constructor(name: GroupName) {
    this.name = name;
  }

  get state(): "waiting" | "started" | "stopped" {
    return this.#state;
  }

  get size(): number {
    return this.#members.size;
  }

  /** The names of the runnables that have been started and are not over. */
  get running(): readonly string[] {
    return [...this.#members].filter(({ state }) => state === "running").map(({ name }) => name);
  }

  add(member: Member): void {
    if (this.#state === "stopped") {
      const message = `${member.name} cannot be added: its group has been stopped`;
      throw new KubeloopError(message, { reason: "Stopped", retry: "never" });
    }
    this.#members.add(member);
    if (this.#state === "started") member.start(this.#stop.signal);
  }

  /** Stops one runnable, waits until it is over and removes it from the group. */
  async remove(member: Member, reason: unknown): Promise<void> {
    member.abort(reason);
    await member.whenOver();
    this.#members.delete(member);
  }

  /** Starts all runnables in the order they were added, and waits until each is ready or over. Throws the signal's reason if it aborts. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#state !== "waiting") return;
    this.#state = "started";
    const members = [...this.#members];
    for (const member of members) member.start(this.#stop.signal);
    await Promise.all(members.map((member) => member.whenReady(signal)));
  }

  /** Aborts all runnables; use `whenOver` to wait for them. */
  stop(reason: unknown): void {
    if (this.#state === "stopped") return;
    this.#state = "stopped";
    this.#stop.abort(reason);
    for (const member of this.#members) member.abort(reason);
  }

  /** Starts all runnables, and resolves when the group has been stopped and all are over. An empty group also stays open until it is stopped. */
  async lead(signal: AbortSignal): Promise<void> {
    const stopped = deferred();
    using _stopping = onAbort(this.#stop.signal, () => stopped.resolve());
    try {
      await this.start(signal);
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    }
    await stopped.promise;
    await this.whenOver();
  }

  async whenOver(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.whenOver()));
  }
}
