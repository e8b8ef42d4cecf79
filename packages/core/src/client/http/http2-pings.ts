// Detects a dead HTTP/2 connection: while it has streams, a ping is sent every 30 s and must be answered within 15 s. An idle
// connection is not pinged, so that it does not keep the process alive; the first request after a long idle time sends a ping
// immediately.
import type { ClientHttp2Session } from "node:http2";
import type { Clock } from "../../base/index.ts";

const pingEveryMs = 30_000;
const pingTimeoutMs = 15_000;

type State =
  | { readonly at: "resting" }
  | { readonly at: "waiting"; readonly timer: Disposable }
  | { readonly at: "pinged"; readonly deadline: Disposable };

export class Http2Pings implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #state: State = { at: "resting" };
  #isWanted = false;
  #heardMs: number;

  constructor(session: ClientHttp2Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock.labelled({ kind: "background", name: "HTTP/2 ping" });
    this.#heardMs = clock.monotonic();
  }

  resume(): void {
    this.#isWanted = true;
    if (this.#state.at !== "resting") return;
    const restedMs = this.#clock.monotonic() - this.#heardMs;
    this.#state = {
      at: "waiting",
      timer: this.#clock.after(Math.max(0, pingEveryMs - restedMs), () => this.#ping()),
    };
  }

  /** Stops the pings. A ping in progress keeps its deadline, otherwise short waits on a dead connection would never reach it. */
  pause(): void {
    this.#isWanted = false;
    if (this.#state.at !== "waiting") return;
    this.#state.timer[Symbol.dispose]();
    this.#state = { at: "resting" };
  }

  [Symbol.dispose](): void {
    this.pause();
    if (this.#state.at === "pinged") this.#state.deadline[Symbol.dispose]();
    this.#state = { at: "resting" };
  }

  #ping(): void {
    this.#state = { at: "resting" };
    const session = this.#session;
    if (session.destroyed) return;
    const deadline = this.#clock.after(pingTimeoutMs, () => session.destroy(new Error("a ping was not answered")));
    this.#state = { at: "pinged", deadline };
    session.ping((error) => {
      deadline[Symbol.dispose]();
      if (error !== null || session.destroyed) return;
      this.#heardMs = this.#clock.monotonic();
      this.#state = { at: "resting" };
      if (this.#isWanted) this.resume();
    });
  }
}
