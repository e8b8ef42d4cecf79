// What `kubeloop up` may be told. A bad word is a UsageError of one sentence.
import { parseArgs } from "node:util";
import { UsageError } from "../usage-error.ts";

export interface UpOptions {
  /** 0 for any that is free. */
  readonly port: number;
  readonly output: "text" | "json" | "quiet";
  /** Whether to run no controller manager, for those who run another one beside the server. */
  readonly withoutManager?: boolean;
  /** Admission plugins besides those that are on by default. */
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly help: boolean;
}

export const upHelp = `kubeloop up: an API server and the controller manager in this process

Usage:
  kubeloop up [options]

Options:
  --port PORT    where to listen on 127.0.0.1; 0 for any that is free (default: 6443)
  --nodes COUNT  how many nodes to pretend; only 0 for now (default: 0)
  --without-manager
                 run no controller manager, because another one is started beside this
  --enable-admission-plugins NAME,...
                 admission plugins besides those that are on by default, for instance NodeRestriction
  --disable-admission-plugins NAME,...
                 admission plugins to leave out, though they are on by default
  --json         print one JSON object a line: {"event":"ready","server":...,"kubeconfig":...}
  --quiet        print nothing but errors
  -h, --help     print this

Writes ./.kubeloop/kubeconfig, which only you can read; ~/.kube is left alone. Ctrl-C stops it. Objects live in memory and end with it; its
certificate authority and token are kept in ./.kubeloop/state.json, so the same kubeconfig fits the next start on the same port. Remove
./.kubeloop to start from nothing.
`;

export function parseUpOptions(args: readonly string[]): UpOptions {
  const values = parse(args);
  if (values.json && values.quiet) throw new UsageError("up: --json and --quiet exclude each other");
  const nodes = wholeNumber("--nodes", values.nodes);
  if (nodes !== 0) throw new UsageError("up: --nodes must be 0: there are no nodes yet");
  const port = wholeNumber("--port", values.port);
  if (port > 65_535) throw new UsageError(`up: --port must be at most 65535, not ${port}`);
  const output = values.json ? "json" : values.quiet ? "quiet" : "text";
  return {
    port,
    output,
    withoutManager: values["without-manager"],
    enableAdmissionPlugins: namesIn(values["enable-admission-plugins"]),
    disableAdmissionPlugins: namesIn(values["disable-admission-plugins"]),
    help: values.help,
  };
}

/** As kube-apiserver reads a list: separated by commas, and given as often as one likes. Whether there is such a plugin, the server says. */
const namesIn = (lists: readonly string[] = []): readonly string[] =>
  lists.flatMap((list) => (list === "" ? [] : list.split(",")));

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`up: ${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "6443" },
        nodes: { type: "string", default: "0" },
        "without-manager": { type: "boolean", default: false },
        "enable-admission-plugins": { type: "string", multiple: true },
        "disable-admission-plugins": { type: "string", multiple: true },
        json: { type: "boolean", default: false },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (cause) {
    // Node's own messages name the option; what comes after the first sentence is about quoting.
    throw new UsageError(`up: ${String((cause as Error).message).split(/\.(?:\s|$)/)[0]}`);
  }
}
