// What exec answers to commands that a hollow node does not have, written as a transcript of a terminal:
//
//   $ redis-cli ping
//   PONG
//   $ pg_isready *
//   2> no response
//   (exit 2)
//
// A line that begins with "$ " is a command; the lines after it are what it prints, those that begin with "2> " to its standard error. "(exit N)" is its
// exit code, 0 if there is none. A command that ends with " *" stands for all that begin like it. The first that matches counts.
import type { ScriptedAnswer } from "./shell-session.ts";

export interface ScriptedCommand {
  /** The words, separated by one space. */
  readonly command: string;
  readonly isPrefix: boolean;
  readonly answer: ScriptedAnswer;
}

export class TranscriptError extends Error {}

export function parseTranscript(text: string): readonly ScriptedCommand[] {
  const commands: ScriptedCommand[] = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("$ ")) {
      const words = line.slice(2).trim().split(/\s+/);
      const isPrefix = words.length > 1 && words.at(-1) === "*";
      const command = (isPrefix ? words.slice(0, -1) : words).join(" ");
      commands.push({ command, isPrefix, answer: { lines: [], exitCode: 0 } });
      continue;
    }
    const last = commands.pop();
    if (last === undefined) throw new TranscriptError(`"${line}" comes before any "$ command"`);
    commands.push({ ...last, answer: addLine(last.answer, line) });
  }
  return commands;
}

function addLine(answer: ScriptedAnswer, line: string): ScriptedAnswer {
  const exit = /^\(exit (\d{1,3})\)$/.exec(line);
  if (exit !== null) return { ...answer, exitCode: Number(exit[1]) & 255 };
  const isError = line.startsWith("2> ");
  const printed = { stream: isError ? ("stderr" as const) : ("stdout" as const), text: isError ? line.slice(3) : line };
  return { ...answer, lines: [...answer.lines, printed] };
}

export function findScripted(
  commands: readonly ScriptedCommand[],
  argv: readonly string[],
): ScriptedAnswer | undefined {
  const asked = argv.join(" ");
  return commands.find(({ command, isPrefix }) => asked === command || (isPrefix && asked.startsWith(`${command} `)))
    ?.answer;
}
