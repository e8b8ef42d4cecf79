// A program that never outlives us. It runs under a shell that holds the other end of a pipe: when this process ends, in
// whatever way (SIGKILL included), the pipe closes, and the shell kills the program and removes the throw-away folder.
// The pair has a session of its own, so that Ctrl-C reaches our process only, which then stops things in order.
//
// Promises: once `exited` has settled, the program is gone and its id is not signalled any more. Standard output and
// error are appended to `logPath`. Not promised: that the program cleans up after itself; only `stop` asks it to.
import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { hasCode, RealClusterError } from "./errors.ts";
import { within } from "./wait.ts";

export interface SupervisedCommand {
  readonly path: string;
  readonly flags: readonly string[];
  readonly logPath: string;
  /** Where it runs: our own working folder unless given. */
  readonly folder?: string;
  /** Removed when we die without having stopped the program. */
  readonly throwAwayFolder: string;
}

// Descriptor 0 is the pipe from us, 3 tells the program's id, 4 keeps the pipe for the watcher alone. `wait` returns early
// when the trap runs, hence the second one. Read: end of input means that we are gone. In the end everything of the session is asked to end:
// the watcher, and what the program has started itself and left behind.
const supervisor = `
folder=$1; shift
exec 4<&0 </dev/null
"$@" 3>&- 4<&- &
program=$!
exec >/dev/null 2>&1
orphaned=
trap 'orphaned=yes; kill -KILL "$program"' USR1
(read -r _ <&4; kill -USR1 $$) 3>&- &
exec 4<&-
echo "$program" >&3
exec 3>&-
wait "$program"; status=$?
if [ -n "$orphaned" ]; then wait "$program"; rm -rf "$folder"; fi
trap '' TERM
kill 0
exit "$status"
`;

/** The host's variables stay outside (ETCD_* would override flags, proxies would be asked). */
const childEnv = () => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" });

type State = { readonly at: "running" } | { readonly at: "paused" } | { readonly at: "exited" };

export class SupervisedProcess {
  readonly pid: number;
  /** Settles with the exit status (128 and more: ended by that signal). */
  readonly exited: Promise<number>;
  #state: State = { at: "running" };

  private constructor(pid: number, exited: Promise<number>) {
    this.pid = pid;
    this.exited = exited.then((status) => {
      this.#state = { at: "exited" };
      return status;
    });
  }

  static async start(command: SupervisedCommand): Promise<SupervisedProcess> {
    const log = await open(command.logPath, "a", 0o600);
    try {
      const shell = spawn("sh", ["-c", supervisor, "sh", command.throwAwayFolder, command.path, ...command.flags], {
        detached: true,
        ...(command.folder === undefined ? {} : { cwd: command.folder }),
        env: childEnv(),
        stdio: ["pipe", log.fd, log.fd, "pipe"],
      });
      const exited = exitOf(shell);
      return new SupervisedProcess(await readPid(shell), exited);
    } finally {
      await log.close();
    }
  }

  get hasExited(): boolean {
    return this.#state.at === "exited";
  }

  /** Asks the program to end (SIGTERM), waits `graceMs`, then kills it. */
  async stop(graceMs: number): Promise<void> {
    this.resume();
    this.#send("SIGTERM");
    if ((await within(graceMs, this.exited)) === undefined) await this.kill();
  }

  /** SIGKILL: no chance to clean up. */
  async kill(): Promise<void> {
    this.#send("SIGKILL");
    await this.exited;
  }

  /** SIGSTOP: connections stay open, nothing answers. */
  pause(): void {
    if (this.#state.at !== "running") return;
    this.#send("SIGSTOP");
    this.#state = { at: "paused" };
  }

  resume(): void {
    if (this.#state.at !== "paused") return;
    this.#send("SIGCONT");
    this.#state = { at: "running" };
  }

  #send(name: NodeJS.Signals): void {
    if (this.#state.at === "exited") return;
    try {
      process.kill(this.pid, name);
    } catch (error) {
      if (!hasCode(error, "ESRCH")) throw error; // it has just ended; `exited` is about to say so
    }
  }
}

/** The first line on descriptor 3. */
async function readPid(shell: ChildProcess): Promise<number> {
  const pipe = shell.stdio[3];
  let line = "";
  if (pipe instanceof Readable) for await (const text of pipe.setEncoding("utf8")) line += text;
  const pid = Number.parseInt(line, 10);
  if (Number.isNaN(pid)) throw new RealClusterError("the supervising shell did not start", { reason: "StartFailed" });
  return pid;
}

/** The shell passes its program's status on. 127, as a shell would say, when there is no shell. */
function exitOf(shell: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    shell.once("error", () => resolve(127));
    shell.once("exit", (status) => resolve(status ?? 255));
  });
}
