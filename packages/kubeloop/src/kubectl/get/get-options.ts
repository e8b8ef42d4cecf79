// What `kubeloop get` may be told.

import { UsageError } from "../../usage-error.ts";
import { parseFlags } from "../flags.ts";
import { KubectlError } from "../kubectl-error.ts";
import { type ObjectFormat, objectFormats } from "../object-printer.ts";
import { type ClusterFlags, clusterFlags } from "../open-cluster.ts";
import { type AskedObjects, askedObjects } from "../resource-args.ts";
import { type Selection, selectionOf } from "../targets.ts";

export interface GetOptions {
  readonly cluster: ClusterFlags;
  readonly asked: AskedObjects;
  readonly selection: Selection;
  readonly output: "table" | "wide" | ObjectFormat;
  readonly showLabels: boolean;
  readonly showKind: boolean;
  readonly labelColumns: readonly string[];
  readonly hasHeaders: boolean;
  readonly ignoresNotFound: boolean;
  readonly keepsManagedFields: boolean;
  readonly watch: "no" | "after list" | "only";
}

const getFlags = {
  ...clusterFlags,
  "all-namespaces": { type: "switch", short: "A" },
  selector: { type: "text", short: "l" },
  "field-selector": { type: "text" },
  output: { type: "text", short: "o" },
  "show-labels": { type: "switch" },
  "show-kind": { type: "switch" },
  "label-columns": { type: "list", short: "L" },
  "no-headers": { type: "switch" },
  "ignore-not-found": { type: "switch" },
  "show-managed-fields": { type: "switch" },
  watch: { type: "switch", short: "w" },
  "watch-only": { type: "switch" },
} as const;

export const getHelp = `kubeloop get: print objects as kubectl does

Usage:
  kubeloop get TYPE[,TYPE...] [options]     pods, po, pod, Pod, deployments.apps, deployments.v1.apps, all
  kubeloop get TYPE NAME... [options]
  kubeloop get TYPE/NAME... [options]

Options:
  -n, --namespace NAMESPACE    instead of the context's
  -A, --all-namespaces         of all namespaces
  -l, --selector LABELS        app=web,tier!=back, 'app in (a, b)'
      --field-selector FIELDS  status.phase=Running
  -o, --output FORMAT          wide, name, json, yaml
  -L, --label-columns LABELS   a column for each of these labels
      --show-labels            all labels in a last column
      --show-kind              the kind before each name
      --show-managed-fields    keep them in json and yaml
      --no-headers             only rows
      --ignore-not-found       a missing object is no failure
  -w, --watch                  then print changes, until Ctrl-C
      --watch-only             only changes
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster: the one of \`kubeloop up\` in this folder unless these or KUBECONFIG say otherwise
`;

/** Undefined if only help was asked for. */
export function parseGetOptions(given: readonly string[]): GetOptions | undefined {
  const { flags, args } = parseFlags("get", given, getFlags);
  if (flags.help === true) return undefined;
  const output = outputOf(flags.output ?? "");
  const showLabels = flags["show-labels"] === true;
  if (showLabels && output !== "table" && output !== "wide")
    throw new KubectlError(`--show-labels option cannot be used with ${output} printer`);
  const asked = askedObjects(args);
  if (asked.by === "nothing") throw new UsageError("get: a type must be given, for instance `kubeloop get pods`");
  return {
    cluster: flags,
    asked,
    selection: selectionOf(flags),
    output,
    showLabels,
    showKind: flags["show-kind"] === true,
    labelColumns: flags["label-columns"].flatMap((list) => list.split(",")),
    hasHeaders: flags["no-headers"] !== true,
    ignoresNotFound: flags["ignore-not-found"] === true,
    keepsManagedFields: flags["show-managed-fields"] === true,
    watch: flags["watch-only"] === true ? "only" : flags.watch === true ? "after list" : "no",
  };
}

function outputOf(text: string): GetOptions["output"] {
  if (text === "") return "table";
  const output = (["wide", ...objectFormats] as const).find((one) => one === text);
  if (output === undefined)
    throw new UsageError(`get: --output must be wide, ${objectFormats.join(", ")}, not "${text}"`);
  return output;
}
