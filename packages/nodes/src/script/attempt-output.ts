// What one attempt of a container prints, played forward in its own time: nothing is stored, and nobody computes what came before again. The same pod
// and environment always give the same output.
import { type AttemptSubject, environmentOf } from "./attempt-run.ts";
import { runContainer } from "./container-command.ts";
import { annotationsOf } from "./container-script.ts";
import type { ShellRun } from "./shell-session.ts";

/** Times are milliseconds since the start of the attempt. */
export interface Printed {
  readonly atMs: number;
  readonly text: string;
  readonly stream: "stdout" | "stderr";
}

/** A script that does so much without a pause is taken to print nothing more. */
const mostSteps = 100_000;

export class AttemptOutput {
  readonly #run: ShellRun;
  #atMs = 0;
  #pending: Printed | undefined;
  #hasEnded = false;

  constructor(subject: AttemptSubject) {
    const { logLines } = annotationsOf(subject.pod, subject.container).script;
    this.#run =
      logLines === undefined
        ? runContainer(subject.container, environmentOf(subject), new Map(subject.files))
        : printing(logLines.map((line) => `${line}\n`));
  }

  /** Returns what is printed until then and was not returned before. */
  advance(untilMs: number): readonly Printed[] {
    const printed: Printed[] = [];
    for (;;) {
      this.#play(untilMs);
      if (this.#pending === undefined || this.#pending.atMs > untilMs) return printed;
      printed.push(this.#pending);
      this.#pending = undefined;
    }
  }

  /** When it may print again; Infinity if it does not. */
  get nextMs(): number {
    return this.#pending?.atMs ?? (this.#hasEnded ? Number.POSITIVE_INFINITY : this.#atMs);
  }

  /** Goes on to the next piece of output, but not past the time. */
  #play(untilMs: number): void {
    for (let steps = 0; steps < mostSteps; steps++) {
      if (this.#pending !== undefined || this.#hasEnded || this.#atMs > untilMs) return;
      const { value, done } = this.#run.next();
      if (done === true) this.#hasEnded = true;
      else if (value.kind === "print") this.#pending = { atMs: this.#atMs, text: value.text, stream: value.stream };
      else if (value.kind === "sleep" && value.ms > 0) {
        this.#atMs += value.ms;
        steps = 0;
      }
    }
    this.#hasEnded = true;
  }
}

function* printing(texts: readonly string[]): ShellRun {
  for (const text of texts) yield { kind: "print", text, stream: "stdout" };
  return 0;
}

export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** Makes lines of pieces of output. A line has the time at which it was completed. */
export class LineAssembler {
  #open = "";
  #openMs = 0;

  add(pieces: readonly Printed[]): readonly LogLine[] {
    return pieces.flatMap(({ atMs, text }) => {
      const parts = (this.#open + text).split("\n");
      this.#open = parts.pop() ?? "";
      this.#openMs = atMs;
      return parts.map((line) => ({ atMs, text: line }));
    });
  }

  /** What is left of a line that was not completed. */
  rest(): readonly LogLine[] {
    return this.#open === "" ? [] : [{ atMs: this.#openMs, text: this.#open }];
  }
}

/** Returns the lines that the attempt prints until `untilMs` after its start, oldest first. */
export function logLines(subject: AttemptSubject, untilMs: number): readonly LogLine[] {
  const lines = new LineAssembler();
  return [...lines.add(new AttemptOutput(subject).advance(untilMs)), ...lines.rest()];
}
