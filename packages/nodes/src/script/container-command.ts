// What a container runs: its command, or the entry point of an image whose content is known, as a run of the small shell. An image that is not known
// runs for ever. Pure.
import { type AnyContainer, type Environment, expandReferences } from "./environment.ts";
import { imageName } from "./image-name.ts";
import { isShell, runCommand, runShell } from "./shell.ts";
import type { ShellRun } from "./shell-session.ts";

/** Entry points of images whose content is known, by the last part of the name; registry and tag do not matter. */
const knownImages: Readonly<Record<string, readonly string[]>> = {
  busybox: ["sh"],
  alpine: ["sh"],
  "hello-world": ["echo", "Hello from Docker!"],
};

export function argvOf(container: AnyContainer): readonly string[] {
  const { command = [], args = [] } = container;
  const known = knownImages[imageName(container.image ?? "")] ?? [];
  if (command.length > 0) return [...command, ...args];
  return args.length > 0 ? (isShell(known[0] ?? "") ? args : [...known, ...args]) : known;
}

/** Whether an image holds nothing but ordinary commands, so that a command in it can be judged by its name. */
const isToolbox = (image: string) => ["sh"].includes(knownImages[imageName(image)]?.[0] ?? "");

const ordinaryCommands = ["sleep", "echo", "true", "false", "cat", "env", "touch", "rm", "tail", "test", "exit"];

/** Starts it. `files` holds what it wrote, as long as it runs. */
export function runContainer(container: AnyContainer, env: Environment, files: Map<string, string>): ShellRun {
  const argv = argvOf(container).map((text) => expandReferences(text, env));
  const [name = ""] = argv;
  const short = name.split("/").at(-1) ?? "";
  // A shell or `cat` without anything to read ends at once; with an input that stays open, it waits for it.
  const waits = argv.length === 1 && (isShell(short) || short === "cat");
  if (waits) return container.stdin === true ? runningForEver() : ended(0);
  if (isShell(short) && /^-\w*c$/.test(argv[1] ?? "")) return runShell(argv[2] ?? "", { env, files });
  if (ordinaryCommands.includes(short) || (argv.length > 0 && isToolbox(container.image ?? "")))
    return runCommand(argv, { env, files });
  return runningForEver();
}

// biome-ignore lint/correctness/useYield: a run that ends before it does anything.
function* ended(code: number): ShellRun {
  return code;
}

function* runningForEver(): ShellRun {
  yield { kind: "sleep", ms: Number.POSITIVE_INFINITY };
  return 0;
}

/** What its first process does on the stop signal, if nobody has scripted it. */
export function onTermOf(container: AnyContainer): "ignored" | { readonly exitCode: number } {
  const [name = "", option = "", script = ""] = argvOf(container);
  const short = name.split("/").at(-1) ?? "";
  if (isShell(short) && /^-\w*c$/.test(option)) {
    const trap = /\btrap\s+(?:'([^']*)'|"([^"]*)"|(\S+))\s+[^;\n]*\b(?:SIG)?TERM\b/.exec(script);
    if (trap === null) return "ignored";
    const handler = trap[1] ?? trap[2] ?? trap[3] ?? "";
    return { exitCode: Number(/\bexit\s+(\d+)/.exec(handler)?.[1] ?? 0) };
  }
  // The kernel delivers no signal to the first process of a container unless the process handles it; these do not.
  return ordinaryCommands.includes(short) || isShell(short) ? "ignored" : { exitCode: 0 };
}
