// The real machine. Nothing here decides anything; see host.ts for what each part promises.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { KubeloopError } from "../../base/errors.ts";
import { onAbort, systemClock } from "../../base/index.ts";
import { type Host, type HostCommand, type HostExit, isMissing } from "./host.ts";

const stdinFile = 0;
/** How long a process may take to obey SIGTERM. */
const killAfterMs = 1_000;
/** More output than any credential has: a plugin that runs wild is stopped here. */
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
  // Beside the target, since a rename is atomic only within one file system; in a folder of its own, which the platform
  // names and nobody else may enter.
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

/** The exit code, when the process is gone and its output read or dropped. */
function endOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      // Also told when a kill fails; then the process has not ended by it.
      if (child.pid === undefined) reject(error);
    });
    child.once("close", (code) => resolve(code ?? undefined));
  });
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** What a process started may keep its pipes open for ever: once nobody wants the output, its end is not waited for. */
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
