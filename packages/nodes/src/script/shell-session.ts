// What a run of the small shell does, step by step, and what it remembers. A run is a generator: it yields what it does next and is resumed with the
// next piece of input where it asked for one. It returns the exit code.

/** What a run does next. */
export type ShellAction =
  | { readonly kind: "print"; readonly text: string; readonly stream: "stdout" | "stderr" }
  | { readonly kind: "sleep"; readonly ms: number }
  /** It is resumed with the input that has come, or with undefined at its end. */
  | { readonly kind: "read" }
  /** What follows never ends. */
  | { readonly kind: "endless" };

export type ShellRun = Generator<ShellAction, number, string | undefined>;

/** What a command that somebody has scripted answers. */
export interface ScriptedAnswer {
  readonly lines: readonly { readonly stream: "stdout" | "stderr"; readonly text: string }[];
  readonly exitCode: number;
}

export interface ShellOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Files by absolute path. A run changes them. Default: none, forgotten at the end. */
  readonly files?: Map<string, string>;
  /** Commands that are answered before any other. */
  readonly scripted?: (argv: readonly string[]) => ScriptedAnswer | undefined;
  /** What a command does that is not known: it prints one line and runs for ever, or it is not found. Default: it runs. */
  readonly unknown?: "runs" | "notFound";
}

export interface Session {
  readonly options: ShellOptions;
  readonly variables: Map<string, string>;
  readonly files: Map<string, string>;
  lastCode: number;
  /** Input that has come and was not read yet. */
  input: string;
}

/** Where a command prints: "stdout", or a path. */
export type Output = string;

export class ExitError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

export function newSession(options: ShellOptions): Session {
  const variables = new Map(Object.entries(options.env));
  return { options, variables, files: options.files ?? new Map(), lastCode: 0, input: "" };
}

export function* print(text: string, session: Session, out: Output): Generator<ShellAction, void, string | undefined> {
  if (out === "stdout" || out === "/dev/stdout") yield { kind: "print", text, stream: "stdout" };
  else if (out === "/dev/stderr") yield { kind: "print", text, stream: "stderr" };
  else if (out !== "/dev/null") session.files.set(out, (session.files.get(out) ?? "") + text);
}

/** The next line of the input, without its end; undefined at the end of the input. */
export function* readLine(session: Session): Generator<ShellAction, string | undefined, string | undefined> {
  for (;;) {
    const at = session.input.indexOf("\n");
    if (at >= 0) {
      const line = session.input.slice(0, at);
      session.input = session.input.slice(at + 1);
      return line;
    }
    const more = yield { kind: "read" };
    if (more === undefined) {
      const rest = session.input;
      session.input = "";
      return rest === "" ? undefined : rest;
    }
    session.input += more;
  }
}
