// What `kubeloop up` may be told. A bad word is a UsageError of one sentence.
import { isIP } from "node:net";
import { parseArgs } from "node:util";
import { mostNodes } from "../cluster/node-specs.ts";
import { UsageError } from "../usage-error.ts";

/** A server that is already there. */
export interface JoinedCluster {
  /** The only file to look into; where kubectl looks, if there is none. */
  readonly kubeconfig: string | undefined;
  /** Another address than the one that is configured. */
  readonly server: string | undefined;
  /** Where the server reaches the nodes; found out if undefined. */
  readonly nodeAddress: string | undefined;
}

export interface UpOptions {
  /** Undefined: it opens a server of its own. */
  readonly cluster: JoinedCluster | undefined;
  /** 0 for any that is free. */
  readonly port: number;
  readonly output: "text" | "json" | "quiet";
  /** Whether a terminal shows what goes on. */
  readonly hasStatus: boolean;
  /** How many hollow nodes. */
  readonly nodes: number;
  /** How many times faster than a kubelet's their own delays are. */
  readonly speed: number;
  /** Whether kubectl's own kubeconfig gets a context for it, too. */
  readonly mergeKubeconfig: boolean;
  /** Whether to show what the controllers do with a small shop. */
  readonly demo: boolean;
  /** How long the ready line may wait until pods would run; 0 not at all. */
  readonly waitMs: number;
  /** Whether to run no controller manager, for those who run another one beside the server. */
  readonly withoutManager: boolean;
  readonly withoutScheduler: boolean;
  /** kube-controller-manager's flags, `--controllers` among them. */
  readonly managerFlags: readonly string[];
  /** Admission plugins besides those that are on by default. */
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly help: boolean;
}

export const upHelp = `kubeloop up: a Kubernetes control plane in this process: API server, controller manager, scheduler and hollow nodes

Usage:
  kubeloop up [options] [-- flags of kube-controller-manager]

Options:
  --port PORT    where to listen on 127.0.0.1; 0 for any that is free (default: 6443)
  --nodes COUNT  how many hollow nodes: they run nothing, and pods look as if they ran (default: 3)
  --speed FACTOR
                 how many times faster than a kubelet's the nodes' own delays are, of pulls, starts and stops (default: 1)
  --merge-kubeconfig
                 make it the current context of your own kubeconfig ($KUBECONFIG or ~/.kube/config), too, while it runs
  --kubeconfig FILE
                 run no API server, but manager, scheduler and nodes for the cluster of this kubeconfig
  --server URL   likewise, for the server at this address
  --node-address ADDRESS
                 where that server reaches the nodes, for logs and exec (default: the address by which this machine reaches it)
  --demo         then create a small shop in the namespace shop, roll it and drain a node, and tell what each controller does
  --wait TIME    how long the ready line may wait until pods would run, for instance 30s or 2m; 0s prints it as soon as the server
                 answers (default: 1m)
  --controllers LIST
                 which controllers run, as kube-controller-manager's flag: *,-ttl-controller runs all but one
  --without-manager
                 run no controller manager, because another one is started beside this
  --without-scheduler
                 run no scheduler, because another one is started beside this
  --enable-admission-plugins NAME,...
                 admission plugins besides those that are on by default, for instance NodeRestriction
  --disable-admission-plugins NAME,...
                 admission plugins to leave out, though they are on by default
  --json         print one JSON object a line: {"event":"ready","server":...,"kubeconfig":...}
  --no-status    print lines only, and no live status below them; so it is without a terminal, too
  --quiet        print nothing but errors
  -h, --help     print this

Writes ./.kubeloop/kubeconfig, which only you can read; ~/.kube is left alone unless you merge. Ctrl-C stops it. Objects live in memory and end with it; its
certificate authority and token are kept in ./.kubeloop/state.json, so the same kubeconfig fits the next start on the same port. Remove
./.kubeloop to start from nothing.
`;

export function parseUpOptions(args: readonly string[]): UpOptions {
  const split = args.indexOf("--");
  const values = parse(split === -1 ? args : args.slice(0, split));
  if (values["data-dir"] !== undefined)
    throw new UsageError("up: --data-dir comes later: objects live in memory for now");
  if (values.json && values.quiet) throw new UsageError("up: --json and --quiet exclude each other");
  const nodes = wholeNumber("--nodes", values.nodes);
  if (nodes > mostNodes) throw new UsageError(`up: --nodes must be at most ${mostNodes}, not ${nodes}`);
  const port = wholeNumber("--port", values.port);
  if (port > 65_535) throw new UsageError(`up: --port must be at most 65535, not ${port}`);
  const behind = split === -1 ? [] : args.slice(split + 1);
  const managerFlags = [...(values.controllers ?? []).map((list) => `--controllers=${list}`), ...behind];
  const withoutManager = values["without-manager"];
  if (withoutManager && managerFlags.length > 0)
    throw new UsageError(`up: ${managerFlags[0]} is for the controller manager, which --without-manager leaves out`);
  const { kubeconfig, server, "node-address": nodeAddress } = values;
  const isJoining = kubeconfig !== undefined || server !== undefined;
  const cluster = isJoining ? { kubeconfig, server, nodeAddress } : undefined;
  if (nodeAddress !== undefined && isIP(nodeAddress) === 0)
    throw new UsageError(`up: --node-address must be an IP address, not ${JSON.stringify(nodeAddress)}`);
  if (nodeAddress !== undefined && !isJoining)
    throw new UsageError("up: --node-address is for nodes of a server that is already there: --kubeconfig or --server");
  if (cluster !== undefined) refuseServerOptions(args);
  const withoutScheduler = values["without-scheduler"];
  if (values.demo && (values.quiet || withoutManager || withoutScheduler || nodes < 2))
    throw new UsageError("up: --demo needs the controller manager, the scheduler, two nodes and something to print to");
  return {
    cluster,
    port,
    hasStatus: !values["no-status"] && !values.json && !values.quiet,
    output: values.json ? "json" : values.quiet ? "quiet" : "text",
    nodes,
    speed: factor("--speed", values.speed),
    mergeKubeconfig: values["merge-kubeconfig"],
    waitMs: duration("--wait", values.wait),
    withoutManager,
    withoutScheduler,
    demo: values.demo,
    managerFlags,
    enableAdmissionPlugins: namesIn(values["enable-admission-plugins"]),
    disableAdmissionPlugins: namesIn(values["disable-admission-plugins"]),
    help: values.help,
  };
}

const ofServer = ["--port", "--merge-kubeconfig", "--enable-admission-plugins", "--disable-admission-plugins"];

function refuseServerOptions(args: readonly string[]): void {
  const given = args.find((word) => ofServer.some((name) => word === name || word.startsWith(`${name}=`)));
  if (given !== undefined)
    throw new UsageError(
      `up: ${given.split("=")[0]} is for a server of its own, which --kubeconfig and --server leave out`,
    );
}

/** As kube-apiserver reads a list: separated by commas, and given as often as one likes. Whether there is such a plugin, the server says. */
const namesIn = (lists: readonly string[] = []): readonly string[] =>
  lists.flatMap((list) => (list === "" ? [] : list.split(",")));

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`up: ${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function factor(name: string, text: string): number {
  const value = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value <= 0) throw new UsageError(`up: ${name} must be a number above 0, not ${JSON.stringify(text)}`);
  return value;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function duration(name: string, text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw new UsageError(`up: ${name} must be a time such as 30s or 2m, not ${JSON.stringify(text)}`);
  return Number(number) * (unitMs[unit] ?? 0);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string", default: "6443" },
        nodes: { type: "string", default: "3" },
        wait: { type: "string", default: "1m" },
        speed: { type: "string", default: "1" },
        "merge-kubeconfig": { type: "boolean", default: false },
        kubeconfig: { type: "string" },
        server: { type: "string" },
        "node-address": { type: "string" },
        controllers: { type: "string", multiple: true },
        demo: { type: "boolean", default: false },
        "data-dir": { type: "string" },
        "without-manager": { type: "boolean", default: false },
        "without-scheduler": { type: "boolean", default: false },
        "enable-admission-plugins": { type: "string", multiple: true },
        "disable-admission-plugins": { type: "string", multiple: true },
        json: { type: "boolean", default: false },
        "no-status": { type: "boolean", default: false },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (cause) {
    // Node's own messages name the option; what comes after the first sentence is about quoting.
    throw new UsageError(`up: ${String((cause as Error).message).split(/\.(?:\s|$)/)[0]}`);
  }
}
