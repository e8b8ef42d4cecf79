// The commands of the small shell. None of them touches anything outside its session: files exist only there, and `sleep` only moves the script's own
// time.
import {
  ExitError,
  type Output,
  print,
  readLine,
  type Session,
  type ShellAction,
  type ShellRun,
} from "./shell-session.ts";

/** A command that takes no time and prints nothing only returns its exit code. */
export type ShellCommand = (args: readonly string[], session: Session, out: Output) => ShellRun | number;

export function findCommand(name: string): ShellCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

const commands: Readonly<Record<string, ShellCommand>> = {
  ":": succeed,
  true: succeed,
  trap: succeed,
  set: succeed,
  mkdir: succeed,
  sync: succeed,
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
  env: (_args, session, out) => printVariables(session, out),
  *printenv(args, session, out) {
    const [name] = args;
    if (name === undefined) return yield* printVariables(session, out);
    const value = session.variables.get(name);
    if (value === undefined) return 1;
    yield* print(`${value}\n`, session, out);
    return 0;
  },
  *cat(args, session, out) {
    let code = 0;
    for (const path of args.length === 0 ? ["-"] : args) {
      const text = session.files.get(path);
      if (path === "-") yield* copyInput(session, out);
      else if (text !== undefined) yield* print(text, session, out);
      else {
        yield* print(`cat: can't open '${path}': No such file or directory\n`, session, "/dev/stderr");
        code = 1;
      }
    }
    return code;
  },
  *read([name = "REPLY"], session) {
    const line = yield* readLine(session);
    session.variables.set(name, line ?? "");
    return line === undefined ? 1 : 0;
  },
  *hostname(_args, session, out) {
    yield* print(`${session.options.env["HOSTNAME"] ?? ""}\n`, session, out);
    return 0;
  },
  *pwd(_args, session, out) {
    yield* print("/\n", session, out);
    return 0;
  },
  *whoami(_args, session, out) {
    yield* print("root\n", session, out);
    return 0;
  },
  *ls(args, session, out) {
    let code = 0;
    const paths = args.filter((arg) => !arg.startsWith("-"));
    for (const path of paths.length === 0 ? ["/"] : paths) {
      const names = namesIn(path, session.files);
      if (names === undefined) {
        yield* print(`ls: ${path}: No such file or directory\n`, session, "/dev/stderr");
        code = 1;
      } else for (const name of names) yield* print(`${name}\n`, session, out);
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

function* printVariables(session: Session, out: Output): ShellRun {
  for (const [name, value] of session.variables) yield* print(`${name}=${value}\n`, session, out);
  return 0;
}

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

function* copyInput(session: Session, out: Output): Generator<ShellAction, void, string | undefined> {
  for (;;) {
    const text = session.input === "" ? yield { kind: "read" } : session.input;
    session.input = "";
    if (text === undefined) return;
    if (text !== "") yield* print(text, session, out);
  }
}

/** What is in a folder, or the file itself; undefined if there is neither. */
function namesIn(path: string, files: ReadonlyMap<string, string>): readonly string[] | undefined {
  if (files.has(path)) return [path];
  const folder = path.endsWith("/") ? path : `${path}/`;
  const inside = [...files.keys()].filter((file) => file.startsWith(folder));
  if (inside.length === 0 && folder !== "/") return undefined;
  return [...new Set(inside.map((file) => file.slice(folder.length).split("/")[0] ?? ""))].sort();
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
    if (left === "-d") return namesIn(operator ?? "", files) !== undefined && !files.has(operator ?? "");
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
