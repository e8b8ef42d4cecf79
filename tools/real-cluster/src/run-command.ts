// Runs a program to its end and returns what it printed. A status other than zero is an answer, not a failure; a program
// that cannot be run at all (it is not there, it may not be executed) has no answer.
import { spawn } from "node:child_process";

export interface CommandAnswer {
  readonly status: number;
  /** What it printed on stdout. */
  readonly stdout: string;
  /** What it printed on stdout and stderr, as it came. */
  readonly output: string;
}

export interface CommandOptions {
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function runCommand(
  path: string,
  args: readonly string[],
  options: CommandOptions,
  signal: AbortSignal,
): Promise<CommandAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      ...(options.folder === undefined ? {} : { cwd: options.folder }),
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", () => (signal.aborted ? reject(signal.reason) : resolve(undefined)));
    child.on("close", (status) =>
      signal.aborted ? reject(signal.reason) : resolve({ status: status ?? -1, stdout, output }),
    );
  });
}
