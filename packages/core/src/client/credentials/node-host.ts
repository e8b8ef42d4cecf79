// The Host of the real machine; host.ts describes what each method promises.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { KubeloopError } from "../../base/errors.ts";
import { onAbort, systemClock } from "../../base/index.ts";
import { type Host, type HostCommand, type HostExit, isMissing } from "./host.ts";

const stdinFile = 0;
/** How long a process may take to exit after SIGTERM. */
const killAfterMs = 1_000;
/** More than any credential needs: a plugin that prints more is killed. */
const maxOutputBytes = 4 * 1024 * 1024;

export const nodeHost: Host = {
  get env() {
    return process.env;
  },
  homedir,
  cwd: () => process.cwd(),
  readFile: (path, signal) => readFile(path, { encoding: "utf8", signal }),
  replaceFile,
  isStdinTerminal: () => isatty(stdinFile),
  spawn: spawnToEnd,
};

async function replaceFile(path: string, content: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const target = await followLinks(path);
  await mkdir(dirname(target), { recursive: true });
  // Beside the target, because a rename is atomic only within one file system; in a new folder with a random name that
  // only the owner can access.
  const folder = await mkdtemp(join(dirname(target), ".kubeloop-"));
  try {
    const draft = join(folder, "draft");
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content, { encoding: "utf8", signal });
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

async function spawnToEnd(command: HostCommand, signal: AbortSignal): Promise<HostExit> {
  signal.throwIfAborted();
  const child = spawn(command.command, command.args, {
    env: command.env,
    stdio: [
      command.stdin === "inherit" ? "inherit" : "ignore",
      "pipe",
      command.stderr === "inherit" ? "inherit" : "pipe",
    ],
    windowsHide: true,
  });
  let failure: unknown;
  let killTimer: Disposable | undefined;
  const kill = (reason: unknown) => {
    failure ??= reason;
    if (hasExited(child)) return dropOutput(child);
    child.once("exit", () => dropOutput(child));
    child.kill("SIGTERM");
    killTimer ??= systemClock.after(killAfterMs, () => child.kill("SIGKILL"));
  };
  const stdout = collectOutput(child, kill);
  if (command.stderr !== "inherit") followLines(child, command.stderr);
  using _watch = onAbort(signal, kill);
  const exitCode = await endOf(child);
  killTimer?.[Symbol.dispose]();
  if (failure !== undefined) throw failure;
  return { stdout: stdout(), exitCode };
}

/** Resolves to the exit code after the process has exited and its output was read or dropped. */
function endOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      // Node also emits this if a kill fails; then the process has not ended.
      if (child.pid === undefined) reject(error);
    });
    child.once("close", (code) => resolve(code ?? undefined));
  });
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Child processes may keep the pipes open for ever: if the output is not needed, do not wait for its end. */
function dropOutput(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function collectOutput(child: ChildProcess, kill: (reason: unknown) => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= maxOutputBytes) chunks.push(chunk);
    else kill(new KubeloopError(`more than ${maxOutputBytes} bytes of output`, { reason: "TooLarge" }));
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function followLines(child: ChildProcess, tell: (line: string) => void): void {
  let rest = "";
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) tell(line);
  });
  child.stderr?.on("end", () => {
    if (rest !== "") tell(rest);
  });
}
