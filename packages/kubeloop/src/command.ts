// What the `kubeloop` command does with its arguments. A bad word is one clear sentence on standard error and exit code 1;
// nothing is half done.
import { parseArgs } from "node:util";
import { kubernetesVersion } from "@kubeloop/apiserver";
import { systemClock } from "@kubeloop/core/base";
import { outputs, printApiResources } from "./api-resources.ts";
import { type KubectlCommand, kubectlCommands } from "./kubectl/commands.ts";
import type { Terminal } from "./status/live-block.ts";
import { UsageError } from "./usage-error.ts";
import { kubeloopVersion } from "./version.ts";

export interface CommandIo {
  print(text: string): void;
  complain(text: string): void;
  /** Aborts when the person has had enough (Ctrl-C). Commands that run on end then. */
  readonly signal: AbortSignal;
  /** The terminal that `print` prints to, if it is one that can draw. */
  readonly terminal?: Terminal | undefined;
}

const help = `kubeloop: Kubernetes control loops in TypeScript

Usage:
  kubeloop up [options]              run a Kubernetes control plane in this process (\`kubeloop help up\`)
  kubeloop kubectl ...               run the kubectl of this machine on the cluster of \`kubeloop up\` in this folder, or of KUBECONFIG
  kubeloop get TYPE [NAME]           print objects                  } as kubectl does, and without one;
  kubeloop describe TYPE [NAME]      print all about objects        }
  kubeloop apply -f FILE             make objects of manifests      } each has --help
  kubeloop delete TYPE NAME          delete objects                 }
  kubeloop logs POD                  print logs                     }
  kubeloop wait TYPE/NAME --for=...  wait for a condition           }
  kubeloop api-resources [options]   list the API resources of Kubernetes ${kubernetesVersion.gitVersion} that kubeloop knows
  kubeloop generate [options]        make TypeScript of CustomResourceDefinitions (\`kubeloop help generate\`)
  kubeloop version                   print the versions of kubeloop and of the Kubernetes it speaks
  kubeloop help                      print this

Options of api-resources:
  --api-group GROUP    only this group; "" is the core group
  --namespaced BOOL    only namespaced (true) or cluster-scoped (false) resources
  --verbs LIST         only resources with all these verbs, comma separated
  --served-only        only what a server serves without extra flags
  -o, --output FORMAT  ${outputs.join(", ")}
`;

/** Runs one command; returns the exit code. */
export async function runCommand(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    const [command, ...rest] = args;
    if (command === "up") await runUp(rest, io);
    else if (command === "kubectl") return await runRealKubectl(rest, io);
    else if (isKubectlCommand(command)) return await runLikeKubectl(command, rest, io);
    else io.print(await answer(args));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.complain(`kubeloop: ${error.message}\n`);
    return 1;
  }
}

async function answer(args: readonly string[]): Promise<string> {
  const [command, ...rest] = args;
  switch (command) {
    case "help":
      if (isKubectlCommand(rest[0])) return await (await import("./kubectl/index.ts")).kubectlHelp(rest[0]);
      if (rest[0] === "up") return (await import("./up/up-options.ts")).upHelp;
      return rest[0] === "generate" ? await generate(["--help"]) : help;
    case undefined:
    case "--help":
    case "-h":
      return help;
    case "version":
    case "--version":
      return `kubeloop ${kubeloopVersion}, Kubernetes ${kubernetesVersion.gitVersion}\n`;
    case "api-resources":
      return apiResources(rest);
    case "generate":
      return await generate(rest);
    default:
      throw new UsageError(`unknown command "${command}"; \`kubeloop help\` lists them`);
  }
}

function isKubectlCommand(command: string | undefined): command is KubectlCommand {
  return kubectlCommands.some((one) => one === command);
}

/** Loaded when asked for, like all that needs a client. */
async function runLikeKubectl(command: KubectlCommand, args: readonly string[], io: CommandIo): Promise<number> {
  const [{ runKubectlCommand }, { nodeWorld }] = await Promise.all([
    import("./kubectl/index.ts"),
    import("./kubectl/world.ts"),
  ]);
  return await runKubectlCommand(command, args, nodeWorld(io), io.signal);
}

async function runRealKubectl(args: readonly string[], io: CommandIo): Promise<number> {
  const { runKubectl } = await import("./kubectl/run-kubectl.ts");
  return await runKubectl(args, io.signal);
}

/** Runs until it is stopped. */
async function runUp(args: readonly string[], io: CommandIo): Promise<void> {
  const { parseUpOptions, upHelp } = await import("./up/up-options.ts");
  const options = parseUpOptions(args);
  if (options.help) return io.print(upHelp);
  const { up } = await import("./up/up.ts");
  const { print, complain, terminal } = io;
  await up(options, { folder: process.cwd(), clock: systemClock, print, complain, terminal }, io.signal);
}

/** Loaded when asked for: it brings a YAML parser and a client along. */
async function generate(args: readonly string[]): Promise<string> {
  const { generateCommand, nodeWorld } = await import("./generate/index.ts");
  return await generateCommand(args, nodeWorld, new AbortController().signal);
}

function apiResources(args: readonly string[]): string {
  const options = parseOptions(args);
  if (options.help) return help;
  const output = outputs.find((one) => one === options.output);
  if (output === undefined)
    throw new UsageError(`--output must be one of ${outputs.join(", ")}, not "${options.output}"`);
  const { namespaced } = options;
  if (namespaced !== undefined && namespaced !== "true" && namespaced !== "false") {
    throw new UsageError(`--namespaced must be true or false, not "${namespaced}"`);
  }
  return printApiResources({
    output,
    apiGroup: options["api-group"],
    namespaced: namespaced === undefined ? undefined : namespaced === "true",
    verbs: options.verbs?.split(",") ?? [],
    servedOnly: options["served-only"],
  });
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        "api-group": { type: "string" },
        namespaced: { type: "string" },
        verbs: { type: "string" },
        "served-only": { type: "boolean", default: false },
        output: { type: "string", short: "o", default: "table" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (cause) {
    // Node's own messages name the option; their second sentence is about quoting.
    throw new UsageError(`api-resources: ${String((cause as Error).message).split(/\.\s/)[0]}`);
  }
}
