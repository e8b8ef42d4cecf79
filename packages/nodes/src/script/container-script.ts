// What a container does, as a hollow node plays it: how long its image takes to pull, how long each attempt runs, its exit code, what it prints and
// when, and what its probes find. First the annotations decide, then the image and the command, and then the default: it runs for ever, passes all
// probes and ends with 0 on the stop signal.
//
// Pure: the same pod and attempt always give the same script. Not here: environment variables from ConfigMaps and Secrets, mounted files.
import type { corev1 } from "@kubeloop/core/api";
import { type ReadAnnotations, readAnnotations, type ScriptAnnotations } from "./annotations.ts";
import { isShell, runCommand, runShell, type ShellRun } from "./shell.ts";

/** The fields that containers, init containers and ephemeral containers have in common. */
export type AnyContainer = corev1.Container | corev1.EphemeralContainer;

/** When the probes of one kind pass, in milliseconds since the start of the container. */
export interface ProbeScript {
  readonly passesFromMs: number;
  readonly failsFromMs: number;
}

export interface ContainerScript {
  /** Undefined: the default of the node. */
  readonly pullMs: number | undefined;
  readonly canPull: boolean;
  readonly probes: Readonly<Record<"startup" | "readiness" | "liveness", ProbeScript>>;
  /** "ignored" if the process has no handler for the stop signal: only SIGKILL ends it. */
  readonly onTerm: "ignored" | { readonly exitCode: number };
  readonly terminationMessage: string;
  readonly faults: readonly string[];
}

/** How one attempt ends by itself; Infinity if it runs until it is stopped. */
export interface AttemptEnd {
  readonly runForMs: number;
  readonly exitCode: number;
}

export interface LogLine {
  /** Since the start of the attempt. */
  readonly atMs: number;
  readonly text: string;
}

export function containerScript(pod: corev1.Pod, container: AnyContainer): ContainerScript {
  const { script, faults } = annotationsOf(pod, container);
  const { readyAfterMs = 0, unreadyAfterMs = Number.POSITIVE_INFINITY } = script;
  return {
    pullMs: typeof script.pull === "number" ? script.pull : undefined,
    canPull: script.pull === undefined ? canPull(container.image ?? "") : script.pull !== "fail",
    probes: {
      startup: { passesFromMs: script.startedAfterMs ?? 0, failsFromMs: Number.POSITIVE_INFINITY },
      readiness: { passesFromMs: readyAfterMs, failsFromMs: unreadyAfterMs },
      liveness: { passesFromMs: 0, failsFromMs: script.unhealthyAfterMs ?? Number.POSITIVE_INFINITY },
    },
    onTerm: onTermOf(script, container),
    terminationMessage: script.terminationMessage ?? "",
    faults,
  };
}

/** `attempt` is 0 for the first start. */
export function attemptEnd(pod: corev1.Pod, container: AnyContainer, attempt: number): AttemptEnd {
  const { script } = annotationsOf(pod, container);
  const { runForMs, exitCodes } = script;
  const code = exitCodes?.[Math.min(attempt, exitCodes.length - 1)];
  const byCommand = runToEnd(pod, container);
  if (runForMs !== undefined) return { runForMs, exitCode: code ?? 0 };
  if (code === undefined) return byCommand;
  // Who only says an exit code means a container that ends, also where its image would run for ever.
  return { runForMs: byCommand.runForMs === Number.POSITIVE_INFINITY ? 0 : byCommand.runForMs, exitCode: code };
}

/** Returns the lines that one attempt prints until `untilMs` after its start, oldest first. */
export function logLines(pod: corev1.Pod, container: AnyContainer, untilMs: number): readonly LogLine[] {
  return linesAndNext(pod, container, untilMs).lines;
}

/** Returns when the attempt prints its next line after `afterMs`; Infinity if it prints no more. */
export function nextLogLineMs(pod: corev1.Pod, container: AnyContainer, afterMs: number): number {
  return linesAndNext(pod, container, afterMs).nextMs;
}

/** So many commands of a script are looked at, so that a loop without a `sleep` ends. */
const mostSteps = 100_000;
/** A script that does so much without ending is taken to run for ever. */
const stepsToEnd = 10_000;

function linesAndNext(pod: corev1.Pod, container: AnyContainer, untilMs: number) {
  const { logLines: scripted } = annotationsOf(pod, container).script;
  const lines: LogLine[] = [];
  if (scripted !== undefined) {
    return { lines: scripted.map((text) => ({ atMs: 0, text })), nextMs: Number.POSITIVE_INFINITY };
  }
  const run = startRun(pod, container);
  let atMs = 0;
  let open = "";
  for (let steps = 0; steps < mostSteps; steps++) {
    const { value, done } = run.next();
    if (done === true) break;
    if (value.kind === "sleep") atMs += value.ms;
    else {
      const parts = (open + value.text).split("\n");
      open = parts.pop() ?? "";
      if (atMs > untilMs) return { lines, nextMs: atMs };
      lines.push(...parts.map((text) => ({ atMs, text })));
    }
    if (atMs === Number.POSITIVE_INFINITY) break;
  }
  if (open !== "" && atMs <= untilMs) lines.push({ atMs, text: open });
  return { lines, nextMs: Number.POSITIVE_INFINITY };
}

function runToEnd(pod: corev1.Pod, container: AnyContainer): AttemptEnd {
  const run = startRun(pod, container);
  let runForMs = 0;
  for (let steps = 0; steps < stepsToEnd; steps++) {
    const { value, done } = run.next();
    if (done === true) return { runForMs, exitCode: value };
    if (value.kind === "sleep") runForMs += value.ms;
    if (runForMs === Number.POSITIVE_INFINITY) break;
  }
  return { runForMs: Number.POSITIVE_INFINITY, exitCode: 0 };
}

function annotationsOf(pod: corev1.Pod, { name }: AnyContainer): ReadAnnotations {
  const isApp = pod.spec?.containers.some((container) => container.name === name) === true;
  return readAnnotations(pod.metadata.annotations, { name, isApp });
}

/** Entry points of images whose content is known, by the last part of the name; registry and tag do not matter. */
const knownImages: Readonly<Record<string, readonly string[]>> = {
  busybox: ["sh"],
  alpine: ["sh"],
  "hello-world": ["echo", "Hello from Docker!"],
};

function argvOf(container: AnyContainer): readonly string[] {
  const { command = [], args = [] } = container;
  const known = knownImages[imageName(container.image ?? "")] ?? [];
  if (command.length > 0) return [...command, ...args];
  return args.length > 0 ? (isShell(known[0] ?? "") ? args : [...known, ...args]) : known;
}

/** Whether an image holds nothing but ordinary commands, so that a command in it can be judged by its name. */
const isToolbox = (image: string) => ["sh"].includes(knownImages[imageName(image)]?.[0] ?? "");

const ordinaryCommands = ["sleep", "echo", "true", "false", "cat", "env", "touch", "rm", "tail", "test", "exit"];

function startRun(pod: corev1.Pod, container: AnyContainer): ShellRun {
  const env = environmentOf(pod, container);
  const argv = argvOf(container).map((text) => expandReferences(text, env));
  const [name = ""] = argv;
  const short = name.split("/").at(-1) ?? "";
  // A shell without a terminal and without a script reads the end of its input at once.
  if (isShell(short) && argv.length === 1) return ended(0);
  if (isShell(short) && /^-\w*c$/.test(argv[1] ?? "")) return runShell(argv[2] ?? "", { env });
  if (ordinaryCommands.includes(short) || (argv.length > 0 && isToolbox(container.image ?? "")))
    return runCommand(argv, { env });
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

/** Literal values and fields of the pod; `$(NAME)` refers to variables before it. */
function environmentOf(pod: corev1.Pod, container: AnyContainer): Readonly<Record<string, string>> {
  const env: Record<string, string> = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: pod.spec?.hostname ?? pod.metadata.name ?? "",
  };
  for (const { name, value, valueFrom } of container.env ?? []) {
    const field = valueFrom?.fieldRef?.fieldPath;
    if (field !== undefined) env[name] = fieldOf(pod, field);
    else if (valueFrom === undefined) env[name] = expandReferences(value ?? "", env);
  }
  return env;
}

function fieldOf({ metadata, spec, status }: corev1.Pod, path: string): string {
  const quoted = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (quoted !== null) return metadata[quoted[1] as "labels" | "annotations"]?.[quoted[2] ?? ""] ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "spec.nodeName":
      return spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "status.podIP":
      return status?.podIP ?? "";
    case "status.hostIP":
      return status?.hostIP ?? "";
    default:
      return "";
  }
}

/** `$(NAME)` becomes the variable's value, `$$` a dollar sign; a name that is not known stays as it is. */
function expandReferences(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_.-][\w.-]*)\)/g, (found, name: string | undefined) => {
    if (name === undefined) return "$";
    return env[name] ?? found;
  });
}

function onTermOf({ onTerm }: ScriptAnnotations, container: AnyContainer): ContainerScript["onTerm"] {
  if (onTerm === "ignore") return "ignored";
  if (onTerm !== undefined) return { exitCode: onTerm };
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

/** The last part of the name, without tag and digest. */
function imageName(image: string): string {
  return (image.split("@")[0]?.split("/").at(-1) ?? "").split(":")[0] ?? "";
}

/** Images that cannot be pulled say so in their name or tag; the names are those of Kubernetes' own tests. */
function canPull(image: string): boolean {
  return !/(?:^|[/:_.-])non-?existent(?:$|[/:@_.-])|^invalid\.registry/.test(image);
}
