// Runs a command of an exec in the time of the clock: what it prints goes to the client, what the client sends is its input, and `sleep` takes its time.
// Returns the exit code. Nothing is executed: see script/shell.ts.
import type { Clock } from "@kubeloop/core/base";
import { isKnownCommand, isShell, runCommand, runInteractive } from "../script/shell.ts";
import type { ShellOptions, ShellRun } from "../script/shell-session.ts";
import type { RemoteStreams } from "./remote-command.ts";
import { Terminal, toTerminal } from "./terminal.ts";

export interface Exec {
  readonly run: ShellRun;
  /** A shell at which somebody types: Ctrl-C ends the line, not the shell. */
  readonly isInteractive: boolean;
}

/** Undefined if there is no such command. */
export function startExec(
  argv: readonly string[],
  options: ShellOptions,
  { isTty }: { readonly isTty: boolean },
): Exec | undefined {
  const known: ShellOptions = { ...options, unknown: "notFound" };
  if (!isKnownCommand(argv, known)) return undefined;
  const isBareShell = isShell(argv[0]?.split("/").at(-1) ?? "") && !argv.slice(1).some((arg) => /^-\w*c$/.test(arg));
  if (!isBareShell) return { run: runCommand(argv, known), isInteractive: false };
  return { run: runInteractive(known, { prompt: isTty ? "/ # " : "" }), isInteractive: true };
}

export interface ExecContext {
  readonly streams: Pick<RemoteStreams, "read" | "write">;
  readonly clock: Clock;
  readonly isTty: boolean;
}

/** After so many steps others get their turn. */
const stepsPerTurn = 1000;
/** The exit code of what Ctrl-C has ended. */
const interruptedCode = 130;

export async function runExec(
  { run, isInteractive }: Exec,
  { streams, clock, isTty }: ExecContext,
  signal: AbortSignal,
): Promise<number> {
  const terminal = new Terminal();
  const write = (stream: "stdout" | "stderr", text: string) =>
    streams.write(stream, isTty ? toTerminal(text) : text, signal);
  const decoder = new TextDecoder();
  let input: string | undefined;
  for (let steps = 1; ; steps++) {
    const { value, done } = run.next(input);
    input = undefined;
    if (done === true) return value;
    if (steps % stepsPerTurn === 0) await clock.yield();
    signal.throwIfAborted();
    if (value.kind === "print") await write(value.stream, value.text);
    if (value.kind === "sleep" && value.ms > 0) await clock.sleep(value.ms, signal);
    if (value.kind !== "read") continue;
    const bytes = await streams.read(signal);
    const text = bytes === undefined ? undefined : decoder.decode(bytes, { stream: true });
    if (text === undefined || !isTty) {
      input = text;
      continue;
    }
    const typed = terminal.type(text);
    if (typed.echo !== "") await streams.write("stdout", typed.echo, signal);
    if (typed.isInterrupted && !isInteractive) return interruptedCode;
    input = typed.isEnd ? undefined : typed.isInterrupted ? "\n" : typed.input;
  }
}
