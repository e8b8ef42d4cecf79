// What `kubeloop logs` may be told.
import type { PodLogOptions } from "@kubeloop/core/client";
import { UsageError } from "../../usage-error.ts";
import { durationOf } from "../duration-of.ts";
import { type FlagValues, parseFlags } from "../flags.ts";
import { KubectlError } from "../kubectl-error.ts";
import { type ClusterFlags, clusterFlags } from "../open-cluster.ts";

export interface LogsOptions {
  readonly cluster: ClusterFlags;
  /** A pod's name, or TYPE/NAME; undefined with a selector. */
  readonly of: string | undefined;
  readonly labelSelector: string | undefined;
  readonly container: string | undefined;
  readonly allContainers: boolean;
  readonly allPods: boolean;
  readonly hasPrefix: boolean;
  readonly mostStreams: number;
  readonly log: Omit<PodLogOptions, "container">;
}

const logsFlags = {
  ...clusterFlags,
  container: { type: "text", short: "c" },
  "all-containers": { type: "switch" },
  "all-pods": { type: "switch" },
  follow: { type: "switch", short: "f" },
  previous: { type: "switch", short: "p" },
  timestamps: { type: "switch" },
  tail: { type: "text" },
  since: { type: "text" },
  "since-time": { type: "text" },
  "limit-bytes": { type: "text" },
  prefix: { type: "switch" },
  selector: { type: "text", short: "l" },
  "max-log-requests": { type: "text" },
} as const;

export const logsHelp = `kubeloop logs: print the logs of containers

Usage:
  kubeloop logs POD [CONTAINER] [options]
  kubeloop logs TYPE/NAME [options]          deployment/web: of one of its pods
  kubeloop logs -l LABELS [options]

Options:
  -c, --container NAME         of this container
      --all-containers         of all containers
      --all-pods               of all pods of TYPE/NAME, with --prefix
  -f, --follow                 go on until the container ends or Ctrl-C
  -p, --previous               of the instance before
      --tail LINES             only the last lines (with -l: 10 unless given)
      --since TIME             only of the last 5s, 2m, 3h
      --since-time TIME        only from this time on (RFC 3339)
      --limit-bytes BYTES      at most so much
      --timestamps             the time before each line
      --prefix                 pod and container before each line
      --max-log-requests N     how many logs -f may follow (default: 5)
  -n, --namespace NAMESPACE    instead of the context's
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster, as for \`kubeloop get\`
`;

/** Undefined if only help was asked for. */
export function parseLogsOptions(given: readonly string[]): LogsOptions | undefined {
  const { flags, args } = parseFlags("logs", given, logsFlags);
  if (flags.help === true) return undefined;
  const labelSelector = flags.selector === "" ? undefined : flags.selector;
  checkArguments(args, flags, labelSelector);
  const container = flags.container ?? args[1];
  const allContainers = flags["all-containers"] === true;
  if (allContainers && container !== undefined)
    throw new KubectlError(`--all-containers=true should not be specified with container name ${container}`);
  const allPods = flags["all-pods"] === true;
  return {
    cluster: flags,
    of: args[0],
    labelSelector,
    container: container === "" ? undefined : container,
    allContainers,
    allPods,
    hasPrefix: flags.prefix === true || allPods,
    mostStreams: wholeNumber("--max-log-requests", flags["max-log-requests"] ?? "5"),
    log: logOptionsOf(flags, labelSelector !== undefined),
  };
}

type Flags = FlagValues<typeof logsFlags>;

function checkArguments(args: readonly string[], flags: Flags, labelSelector: string | undefined): void {
  if (args.length > 2 || (args.length === 0 && labelSelector === undefined))
    throw new UsageError("logs: a pod, TYPE/NAME or -l LABELS must be given, for instance `kubeloop logs web`");
  if (args.length === 1 && labelSelector !== undefined)
    throw new UsageError("logs: only a selector (-l) or a POD name is allowed");
  if (args.length === 2 && flags.container !== undefined)
    throw new KubectlError("only one of -c or an inline [CONTAINER] arg is allowed");
  if (flags.since !== undefined && flags["since-time"] !== undefined)
    throw new KubectlError("at most one of `sinceTime` or `sinceSeconds` may be specified");
}

function logOptionsOf(flags: Flags, isSelected: boolean): LogsOptions["log"] {
  const tail = wholeNumber("--tail", flags.tail ?? (isSelected ? "10" : "-1"));
  if (tail < -1) throw new KubectlError("--tail must be greater than or equal to -1");
  const sinceSeconds = Math.round(durationOf("logs", "--since", flags.since ?? "0s") / 1000);
  if (sinceSeconds < 0) throw new KubectlError("--since must be greater than 0");
  const limitBytes = wholeNumber("--limit-bytes", flags["limit-bytes"] ?? "0");
  if (limitBytes < 0) throw new KubectlError("--limit-bytes must be greater than 0");
  const sinceTime = flags["since-time"];
  return {
    ...(flags.follow === true ? { follow: true } : {}),
    ...(flags.previous === true ? { previous: true } : {}),
    ...(flags.timestamps === true ? { timestamps: true } : {}),
    ...(tail === -1 ? {} : { tailLines: tail }),
    ...(sinceSeconds === 0 ? {} : { sinceSeconds }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(limitBytes === 0 ? {} : { limitBytes }),
  };
}

function wholeNumber(flag: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new UsageError(`logs: ${flag} must be a whole number, not "${text}"`);
}
