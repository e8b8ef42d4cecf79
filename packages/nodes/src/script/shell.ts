// A small shell for `sh -c` scripts: it computes what a script prints and when, how long it runs and with which exit code. Nothing is executed:
// `sleep` only moves the script's own time, and files exist only inside one run.
//
// Understood: `;` `&&` `||` newlines, quotes, `$V` `${V}` `$?`, `V=x`, `>` `>>`, if/else/fi, while/until/do/done, and the commands of the table below.
// A command that is not known prints one line and then runs for ever, so that a pod with an unusual command stays up.
//
// Not here: pipes, command substitution, arithmetic, functions, background jobs. A script with these counts as one unknown command.
import { parseShell, type ShellNode, ShellSyntaxError, type Word } from "./shell-syntax.ts";

/** What a script does next. */
export type ShellAction =
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "sleep"; readonly ms: number };

export type ShellRun = Generator<ShellAction, number>;

export interface ShellOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Files that exist at the start, by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs a script. The generator returns the exit code. */
export function* runShell(script: string, options: ShellOptions): ShellRun {
  let nodes: readonly ShellNode[];
  try {
    nodes = parseShell(script);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return yield* runUnknown(script);
  }
  const session = newSession(options);
  try {
    return yield* runList(nodes, session);
  } catch (error) {
    if (error instanceof ExitError) return error.code;
    throw error;
  }
}

/** Runs one command whose arguments are already separate, as in `command: ["sleep", "5"]`. */
export function* runCommand(argv: readonly string[], options: ShellOptions): ShellRun {
  try {
    return yield* runArgv(argv, newSession(options), "stdout");
  } catch (error) {
    if (error instanceof ExitError) return error.code;
    throw error;
  }
}

interface Session {
  readonly variables: Map<string, string>;
  readonly files: Map<string, string>;
  lastCode: number;
}

class ExitError extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

function newSession({ env, files }: ShellOptions): Session {
  return { variables: new Map(Object.entries(env)), files: new Map(Object.entries(files ?? {})), lastCode: 0 };
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

function* runSimple(node: ShellNode & { readonly kind: "command" }, session: Session): ShellRun {
  const argv = node.words.map((word) => expand(word, session));
  for (const [name, value] of node.assignments) session.variables.set(name, expand(value, session));
  if (argv.length === 0) return 0;
  if (node.redirect === undefined) return yield* runArgv(argv, session, "stdout");
  const path = expand(node.redirect.to, session);
  if (!node.redirect.isAppended && path !== "/dev/null") session.files.set(path, "");
  return yield* runArgv(argv, session, path);
}

/** A command that takes no time and prints nothing only returns its exit code. */
type Command = (args: readonly string[], session: Session, out: string) => ShellRun | number;

const commands: Readonly<Record<string, Command>> = {
  ":": succeed,
  true: succeed,
  trap: succeed,
  set: succeed,
  export: exportVariables,
  false: () => 1,
  exit([code], session) {
    throw new ExitError(code === undefined ? session.lastCode : Number.parseInt(code, 10) & 255);
  },
  *sleep(args) {
    const ms = args.reduce((sum, arg) => sum + sleepMs(arg), 0);
    if (Number.isNaN(ms)) return 1;
    yield { kind: "sleep", ms };
    return 0;
  },
  *echo(args, session, out) {
    const isBare = args[0] === "-n";
    const text = (isBare || args[0] === "-e" ? args.slice(1) : args).join(" ");
    yield* print(isBare ? text : `${text}\n`, session, out);
    return 0;
  },
  *env(_args, session, out) {
    for (const [name, value] of session.variables) yield* print(`${name}=${value}\n`, session, out);
    return 0;
  },
  *cat(args, session, out) {
    let code = 0;
    for (const path of args) {
      const text = session.files.get(path);
      if (text === undefined) {
        yield* print(`cat: can't open '${path}': No such file or directory\n`, session, "stdout");
        code = 1;
      } else yield* print(text, session, out);
    }
    return code;
  },
  touch(args, session) {
    for (const path of args) if (!session.files.has(path)) session.files.set(path, "");
    return 0;
  },
  rm(args, session) {
    const isForced = args.some((arg) => /^-\w*f/.test(arg));
    const paths = args.filter((arg) => !arg.startsWith("-"));
    const missing = paths.filter((path) => !session.files.delete(path));
    return missing.length === 0 || isForced ? 0 : 1;
  },
  *tail(args) {
    // Only `tail -f`, which people use to keep a container up.
    if (args.some((arg) => /^-\w*f/i.test(arg))) yield { kind: "sleep", ms: Number.POSITIVE_INFINITY };
    return 0;
  },
  test(args, session) {
    return isTrue(args, session.files) ? 0 : 1;
  },
  "["(args, session) {
    return isTrue(args.slice(0, -1), session.files) ? 0 : 1;
  },
};

function succeed(): number {
  return 0;
}

function exportVariables(args: readonly string[], session: Session): number {
  for (const arg of args) {
    const at = arg.indexOf("=");
    if (at > 0) session.variables.set(arg.slice(0, at), arg.slice(at + 1));
  }
  return 0;
}

function* runArgv(argv: readonly string[], session: Session, out: string): ShellRun {
  const [name = "", ...args] = argv;
  const short = name.split("/").at(-1) ?? name;
  const command = Object.hasOwn(commands, short) ? commands[short] : undefined;
  if (command !== undefined) {
    const ran = command(args, session, out);
    return typeof ran === "number" ? ran : yield* ran;
  }
  if (isShell(short) && args[0]?.startsWith("-") === true && args[0].endsWith("c")) {
    return yield* runShell(args[1] ?? "", {
      env: Object.fromEntries(session.variables),
      files: Object.fromEntries(session.files),
    });
  }
  return yield* runUnknown(argv.join(" "));
}

export function isShell(name: string): boolean {
  return ["sh", "ash", "bash", "dash"].includes(name);
}

function* runUnknown(what: string): ShellRun {
  yield { kind: "print", text: `kubeloop: this hollow node does not run "${what.split("\n")[0]}"\n` };
  yield { kind: "sleep", ms: Number.POSITIVE_INFINITY };
  return 0;
}

function* print(text: string, session: Session, out: string): Generator<ShellAction, void> {
  if (out === "stdout" || out === "/dev/stdout" || out === "/dev/stderr") yield { kind: "print", text };
  else if (out !== "/dev/null") session.files.set(out, (session.files.get(out) ?? "") + text);
}

/** NaN for what is no duration. */
function sleepMs(text: string): number {
  if (text === "infinity" || text === "inf") return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text);
  if (match === null) return Number.NaN;
  const unit = { s: 1000, "": 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? ""] ?? 1000;
  return Number(match[1]) * unit;
}

function isTrue(args: readonly string[], files: ReadonlyMap<string, string>): boolean {
  if (args[0] === "!") return !isTrue(args.slice(1), files);
  const [left = "", operator, right = ""] = args;
  if (args.length === 1) return left !== "";
  if (args.length === 2) {
    if (left === "-z") return operator === "";
    if (left === "-n") return operator !== "";
    if (left === "-s") return (files.get(operator ?? "") ?? "") !== "";
    return files.has(operator ?? "");
  }
  switch (operator) {
    case "=":
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "-eq":
      return Number(left) === Number(right);
    case "-ne":
      return Number(left) !== Number(right);
    case "-lt":
      return Number(left) < Number(right);
    case "-gt":
      return Number(left) > Number(right);
    default:
      return false;
  }
}

function expand(word: Word, session: Session): string {
  return word
    .map((part) => {
      if (part.kind === "text") return part.text;
      return part.name === "?" ? String(session.lastCode) : (session.variables.get(part.name) ?? "");
    })
    .join("");
}
