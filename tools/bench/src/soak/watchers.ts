// Watchers, each on a socket of its own. Like an informer, a watcher whose watch ends begins a new one at the last version it saw, so that
// whatever it misses is the server's fault.
import { Agent, request } from "node:https";
import { systemClock } from "@kubeloop/core/base";
import { headLength, requestOptions, type Target, versionIn } from "./ask.ts";
import { afterChange, type Change, emptyTally, type Tally } from "./tally.ts";

export interface WatcherOptions {
  readonly target: Target;
  /** Of the collection, with its selector. */
  readonly path: string;
  /** Where it begins. */
  readonly version: number;
  /** After that many seconds the server ends a watch, so that watches also come and go. */
  readonly timeoutSeconds: number;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #agent: Agent;
  #version: number;
  #tally: Tally = emptyTally;
  #resumed = 0;
  #events = 0;
  #isOpen = false;
  #fault: string | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#version = options.version;
    this.#agent = new Agent({ keepAlive: false, ca: options.target.ca });
  }

  get tally(): Tally {
    return this.#tally;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get events(): number {
    return this.#events;
  }

  /** How often it began anew. */
  get resumed(): number {
    return this.#resumed;
  }

  /** What no watcher should see: an error in the stream, or a version that is not above the last. */
  get fault(): string | undefined {
    return this.#fault;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#fault === undefined) {
      await this.#watchOnce(signal);
      this.#isOpen = false;
      if (signal.aborted) break;
      this.#resumed++;
      // A server that refuses at once is not asked in a loop.
      await systemClock.sleep(50, signal).catch(() => {});
    }
    this.#agent.destroy();
  }

  #watchOnce(signal: AbortSignal): Promise<void> {
    const { target, path, timeoutSeconds } = this.#options;
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${timeoutSeconds}&resourceVersion=${this.#version}`;
    const asked = { method: "GET", path: `${path}&${query}` };
    return new Promise((resolve) => {
      const sent = request({ ...requestOptions(target, asked, this.#agent), signal }, (incoming) => {
        this.#isOpen = incoming.statusCode === 200;
        if (incoming.statusCode === 410) this.#fault = `its version ${this.#version} was forgotten`;
        // A refusal, as 429, is no event: the watcher comes back.
        if (this.#isOpen) incoming.on("data", this.#lineReader());
        else incoming.resume();
        incoming.on("error", () => resolve());
        incoming.on("close", () => resolve());
      });
      sent.on("error", () => resolve());
      sent.end();
    });
  }

  /** Only the beginning of each line is kept. */
  #lineReader(): (chunk: Buffer) => void {
    let head = "";
    return (chunk) => {
      for (let from = 0; from < chunk.length; ) {
        const newline = chunk.indexOf(10, from);
        const to = newline < 0 ? chunk.length : newline;
        if (head.length < headLength)
          head += chunk.toString("latin1", from, Math.min(to, from + headLength - head.length));
        from = to + 1;
        if (newline < 0) return;
        this.#take(head);
        head = "";
      }
    };
  }

  #take(head: string): void {
    const type = /^\{"type":"([A-Z]+)"/.exec(head)?.[1];
    const version = versionIn(head);
    if (type === undefined || type === "ERROR" || version === undefined) {
      this.#fault ??= `it was sent ${head.slice(0, 300)}`;
      return;
    }
    if (version < this.#version || (version === this.#version && type !== "BOOKMARK")) {
      this.#fault ??= `version ${version} came after ${this.#version}`;
    }
    this.#version = version;
    if (type === "BOOKMARK") return;
    this.#events++;
    const change = changeOf(type, version, head);
    if (change !== undefined) this.#tally = afterChange(this.#tally, change);
  }
}

/** A pod that is deleted is marked first, which no writer asked for by itself. */
function changeOf(type: string, version: number, head: string): Change | undefined {
  if (type === "ADDED") return { kind: "created", version };
  if (type === "DELETED") return { kind: "deleted" };
  return head.includes('"deletionTimestamp"') ? undefined : { kind: "updated", version };
}
