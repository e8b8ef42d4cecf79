// A small shell: it computes what a script prints and when, what it reads, how long it runs and with which exit code. Nothing is executed.
//
// Understood: `;` `&&` `||` newlines, quotes, `$V` `${V}` `$?`, `V=x`, `>` `>>` `>&2` `2>/dev/null`, if/else/fi, while/until/do/done, and the commands of
// shell-commands.ts. What a command does that is not known is the caller's to say: by default it prints one line and then runs for ever, so that a pod
// with an unusual command stays up.
//
// Not here: pipes, command substitution, arithmetic, functions, background jobs. A script with these counts as one unknown command.
import { findCommand } from "./shell-commands.ts";
import {
  ExitError,
  newSession,
  type Output,
  print,
  readLine,
  type Session,
  type ShellOptions,
  type ShellRun,
} from "./shell-session.ts";
import { parseShell, type ShellNode, ShellSyntaxError, type Word } from "./shell-syntax.ts";

/** Runs a script. */
export function* runShell(script: string, options: ShellOptions): ShellRun {
  return yield* runScript(script, newSession(options));
}

/** Runs one command whose arguments are already separate, as in `command: ["sleep", "5"]`. */
export function* runCommand(argv: readonly string[], options: ShellOptions): ShellRun {
  return yield* untilExit(runArgv(argv, newSession(options), "stdout"));
}

/** Runs what it reads line by line, as `sh` without a script does; with a prompt if somebody sits at a terminal. */
export function* runInteractive(options: ShellOptions, { prompt }: { readonly prompt: string }): ShellRun {
  const session = newSession(options);
  for (;;) {
    if (prompt !== "") yield* print(prompt, session, "stdout");
    const line = yield* readLine(session);
    if (line === undefined) return session.lastCode;
    try {
      session.lastCode = yield* runList(parseShell(line), session);
    } catch (error) {
      if (error instanceof ExitError) return error.code;
      if (!(error instanceof ShellSyntaxError)) throw error;
      yield* print(`sh: this hollow node does not understand: ${line}\n`, session, "/dev/stderr");
      session.lastCode = 2;
    }
  }
}

/** Whether a command can be run by its name alone. */
export function isKnownCommand(argv: readonly string[], { scripted }: ShellOptions): boolean {
  const short = shortName(argv[0] ?? "");
  return scripted?.(argv) !== undefined || findCommand(short) !== undefined || isShell(short);
}

export function isShell(name: string): boolean {
  return ["sh", "ash", "bash", "dash"].includes(name);
}

const shortName = (name: string) => name.split("/").at(-1) ?? name;

function* runScript(script: string, session: Session): ShellRun {
  let nodes: readonly ShellNode[];
  try {
    nodes = parseShell(script);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return yield* runUnknown(script, session);
  }
  return yield* untilExit(runList(nodes, session));
}

function* untilExit(run: ShellRun): ShellRun {
  try {
    return yield* run;
  } catch (error) {
    if (error instanceof ExitError) return error.code;
    throw error;
  }
}

function* runList(nodes: readonly ShellNode[], session: Session): ShellRun {
  let code = 0;
  for (const node of nodes) {
    if (node.join === "and" && code !== 0) continue;
    if (node.join === "or" && code === 0) continue;
    // A loop that neither prints nor sleeps yields, too, so that the caller can count its steps.
    yield { kind: "sleep", ms: 0 };
    code = yield* runNode(node, session);
    session.lastCode = code;
  }
  return code;
}

function* runNode(node: ShellNode, session: Session): ShellRun {
  switch (node.kind) {
    case "if": {
      const condition = yield* runList(node.condition, session);
      return yield* runList(condition === 0 ? node.body : node.otherwise, session);
    }
    case "while": {
      if (!node.isUntil && isAlwaysTrue(node.condition) && !canExit(node.body)) yield { kind: "endless" };
      let code = 0;
      for (;;) {
        const condition = yield* runList(node.condition, session);
        if ((condition === 0) === node.isUntil) return code;
        code = yield* runList(node.body, session);
      }
    }
    case "command":
      return yield* runSimple(node, session);
  }
}

function isAlwaysTrue(condition: readonly ShellNode[]): boolean {
  const [only, ...rest] = condition;
  return rest.length === 0 && only?.kind === "command" && ["true", ":"].includes(commandName(only));
}

function canExit(nodes: readonly ShellNode[]): boolean {
  return nodes.some((node) => {
    // A name that only the run knows may be any command.
    if (node.kind === "command") return ["exit", ""].includes(commandName(node));
    return canExit([...node.condition, ...node.body, ...(node.kind === "if" ? node.otherwise : [])]);
  });
}

/** "" if it is made of more than text. */
function commandName({ words, assignments }: ShellNode & { readonly kind: "command" }): string {
  const [first] = words;
  if (first === undefined) return assignments.length > 0 ? "=" : "";
  const [part, ...rest] = first;
  return rest.length === 0 && part?.kind === "text" ? part.text : "";
}

function* runSimple(node: ShellNode & { readonly kind: "command" }, session: Session): ShellRun {
  const argv = node.words.map((word) => expand(word, session));
  for (const [name, value] of node.assignments) session.variables.set(name, expand(value, session));
  if (argv.length === 0) return 0;
  const run = runInto(argv, node.redirect, session);
  return yield* node.dropsErrors ? withoutErrors(run) : run;
}

function* runInto(
  argv: readonly string[],
  redirect: (ShellNode & { readonly kind: "command" })["redirect"],
  session: Session,
): ShellRun {
  if (redirect === undefined) return yield* runArgv(argv, session, "stdout");
  const path = expand(redirect.to, session);
  if (!redirect.isAppended && !path.startsWith("/dev/")) session.files.set(path, "");
  return yield* runArgv(argv, session, path);
}

function* withoutErrors(run: ShellRun): ShellRun {
  let input: string | undefined;
  for (;;) {
    const { value, done } = run.next(input);
    if (done === true) return value;
    input = value.kind === "print" && value.stream === "stderr" ? undefined : yield value;
  }
}

function* runArgv(argv: readonly string[], session: Session, out: Output): ShellRun {
  const [name = "", ...args] = argv;
  const short = shortName(name);
  const scripted = session.options.scripted?.(argv);
  if (scripted !== undefined) {
    for (const { stream, text } of scripted.lines) {
      yield* print(`${text}\n`, session, stream === "stderr" ? "/dev/stderr" : out);
    }
    return scripted.exitCode;
  }
  const command = findCommand(short);
  if (command !== undefined) {
    const ran = command(args, session, out);
    return typeof ran === "number" ? ran : yield* ran;
  }
  if (isShell(short) && args[0]?.startsWith("-") === true && args[0].endsWith("c")) {
    const inner = { ...session.options, env: Object.fromEntries(session.variables), files: session.files };
    return yield* runShell(args[1] ?? "", inner);
  }
  return yield* runUnknown(argv.join(" "), session);
}

function* runUnknown(what: string, session: Session): ShellRun {
  const line = what.split("\n")[0] ?? "";
  if (session.options.unknown === "notFound") {
    yield* print(`sh: ${line.split(" ")[0]}: not found\n`, session, "/dev/stderr");
    return 127;
  }
  yield* print(`kubeloop: this hollow node does not run "${line}"\n`, session, "stdout");
  yield { kind: "sleep", ms: Number.POSITIVE_INFINITY };
  return 0;
}

function expand(word: Word, session: Session): string {
  return word
    .map((part) => {
      if (part.kind === "text") return part.text;
      return part.name === "?" ? String(session.lastCode) : (session.variables.get(part.name) ?? "");
    })
    .join("");
}
