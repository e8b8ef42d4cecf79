// What `kubeloop apply` may be told.
import { UsageError } from "../../usage-error.ts";
import { type DryRun, dryRunOf } from "../delete/delete-options.ts";
import { parseFlags } from "../flags.ts";
import { KubectlError } from "../kubectl-error.ts";
import { manifestFlags } from "../manifests.ts";
import { type ClusterFlags, clusterFlags } from "../open-cluster.ts";

export interface ApplyOptions {
  readonly cluster: ClusterFlags;
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  readonly output: "text" | "name";
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  readonly overwrites: boolean;
  readonly dryRun: DryRun;
}

const applyFlags = {
  ...clusterFlags,
  ...manifestFlags,
  output: { type: "text", short: "o" },
  validate: { type: "text", bare: "strict" },
  overwrite: { type: "switch" },
  "dry-run": { type: "text", bare: "unchanged" },
} as const;

export const applyHelp = `kubeloop apply: make objects as manifests say, as kubectl's client-side apply does

Usage:
  kubeloop apply -f FILE|DIR|- [-f ...] [options]

Fields that were applied before and are in the manifest no more are removed; those of others stay.

Options:
  -f, --filename FILE          YAML or JSON, any number of documents; a folder stands for its .json, .yaml and .yml files, - for
                               standard input
  -R, --recursive              and the folders below
  -n, --namespace NAMESPACE    for objects that name none
  -o, --output name            print only TYPE/NAME
      --validate HOW           strict, warn or ignore fields that the kind does not have (default: strict)
      --overwrite=false        a field that others changed meanwhile is a failure
      --dry-run=client|server  only say what would be done
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster, as for \`kubeloop get\`
`;

/** Undefined if only help was asked for. */
export function parseApplyOptions(given: readonly string[]): ApplyOptions | undefined {
  const { flags, args } = parseFlags("apply", given, applyFlags);
  if (flags.help === true) return undefined;
  if (args.length > 0) throw new UsageError(`apply: "${args[0]}" is no option; files are given with -f`);
  if (flags.filename.length === 0) throw new KubectlError("must specify one of -f and -k");
  const { output = "" } = flags;
  if (output !== "" && output !== "name") throw new UsageError(`apply: --output must be name, not "${output}"`);
  return {
    cluster: flags,
    filenames: flags.filename,
    isRecursive: flags.recursive === true,
    output: output === "name" ? "name" : "text",
    fieldValidation: validationOf(flags.validate ?? "strict"),
    overwrites: flags.overwrite ?? true,
    dryRun: dryRunOf(flags["dry-run"] ?? "none"),
  };
}

function validationOf(text: string): ApplyOptions["fieldValidation"] {
  switch (text) {
    case "strict":
    case "true":
      return "Strict";
    case "warn":
      return "Warn";
    case "ignore":
    case "false":
      return "Ignore";
    default:
      throw new KubectlError(
        `invalid - validate option ${JSON.stringify(text)}; must be one of: strict (or true), warn, ignore (or false)`,
      );
  }
}
