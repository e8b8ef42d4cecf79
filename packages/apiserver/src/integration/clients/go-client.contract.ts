// One of the compiled clients (tools/real-cluster/manifests/go-clients) as a process of the test's: what it says is kept line by line, and
// waited for; what it logs is in the error when it ends before it should.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { deferred, systemClock } from "@kubeloop/core/base";
import { findBinaries } from "@kubeloop/real-cluster";

/** What a client said: `{"saw": "add", "resource": "pods", "object": {…}}`. */
export type Line = Readonly<Record<string, unknown>>;

export interface GoClientOptions {
  readonly kubeconfigPath: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const patienceMs = 60_000;

export class GoClient implements AsyncDisposable {
  readonly lines: Line[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number>;
  #log = "";
  #heard: () => void = () => {};

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("close", (status) => resolve(status ?? -1)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.lines.push(JSON.parse(line));
      this.#heard();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log += text;
    });
    child.stdin.on("error", () => {}); // it has ended, which whoever waits for it is told
  }

  static async start({ kubeconfigPath, args, env = {} }: GoClientOptions): Promise<GoClient> {
    const binaries = await findBinaries(["go-clients"], {}, new AbortController().signal);
    const all = [...args, "--kubeconfig", kubeconfigPath];
    return new GoClient(spawn(binaries.get("go-clients") ?? "go-clients", all, { env: { ...process.env, ...env } }));
  }

  /** The first line from `from` on that is like this; waits for it. */
  async until(isWanted: (line: Line) => boolean, from = 0): Promise<Line> {
    const deadlineMs = systemClock.monotonic() + patienceMs;
    for (let next = from; ; ) {
      for (; next < this.lines.length; next++) {
        const line = this.lines[next];
        if (line !== undefined && isWanted(line)) return line;
      }
      await this.#hearMore(deadlineMs - systemClock.monotonic());
    }
  }

  async #hearMore(ms: number): Promise<void> {
    const more = deferred<void>();
    this.#heard = () => more.resolve();
    const fail = (why: string) => {
      const last = this.lines.slice(-5).map((line) => JSON.stringify(line));
      more.reject(new Error([`the client ${why}`, ...last, this.#log.slice(-3000)].join("\n")));
    };
    using _timer = systemClock.after(ms, () => fail("did not say what was waited for"));
    void this.#ended.then((status) => fail(`ended with status ${status}`));
    await more.promise;
  }

  ask(words: string): void {
    this.#child.stdin.write(`${words}\n`);
  }

  /** In order; throws when it ends with another status than zero. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const status = await this.#ended;
    if (status !== 0) throw new Error(`the client ended with status ${status}\n${this.#log.slice(-3000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
