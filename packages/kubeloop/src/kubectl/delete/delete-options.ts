// What `kubeloop delete` may be told.
import { UsageError } from "../../usage-error.ts";
import { durationOf } from "../duration-of.ts";
import { type FlagValues, parseFlags } from "../flags.ts";
import { KubectlError } from "../kubectl-error.ts";
import { choiceFlags, type ObjectChoice, objectChoiceOf } from "../object-choice.ts";
import { type AskedObjects, askedObjects } from "../resource-args.ts";

export interface DeleteOptions extends ObjectChoice {
  readonly isSelected: boolean;
  readonly ignoresNotFound: boolean;
  /** Undefined leaves it to the object. */
  readonly gracePeriodSeconds: number | undefined;
  readonly isForced: boolean;
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan";
  readonly waits: boolean;
  readonly timeoutMs: number;
  readonly output: "text" | "name";
  readonly dryRun: DryRun;
}

export type DryRun = "none" | "client" | "server";

const deleteFlags = {
  ...choiceFlags,
  force: { type: "switch" },
  now: { type: "switch" },
  "grace-period": { type: "text" },
  cascade: { type: "text", bare: "background" },
  wait: { type: "switch" },
  timeout: { type: "text" },
  "ignore-not-found": { type: "switch" },
  output: { type: "text", short: "o" },
  "dry-run": { type: "text", bare: "unchanged" },
} as const;

export const deleteHelp = `kubeloop delete: delete objects, and wait until they are gone

Usage:
  kubeloop delete TYPE NAME... [options]
  kubeloop delete TYPE/NAME... [options]
  kubeloop delete TYPE[,TYPE...] (-l LABELS | --field-selector FIELDS | --all) [options]
  kubeloop delete -f FILE|DIR|- [options]

Options:
  -n, --namespace NAMESPACE    instead of the context's
  -A, --all-namespaces         with -l, --field-selector or --all: of all namespaces
  -f, --filename FILE          the objects of this file, of the files of a folder, or of standard input (-)
  -R, --recursive              and of the folders below
      --grace-period SECONDS   instead of the object's own
      --now                    --grace-period=1
      --force                  at once, without waiting for the node
      --cascade HOW            background, foreground or orphan (default: background)
      --wait=false             do not wait until they are gone
      --timeout TIME           how long to wait: 30s, 5m; 0s is for ever (default: 0s)
      --ignore-not-found       a missing object is no failure
  -o, --output name            print only TYPE/NAME
      --dry-run=client|server  only say what would be deleted
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster, as for \`kubeloop get\`
`;

/** Undefined if only help was asked for. */
export function parseDeleteOptions(given: readonly string[]): DeleteOptions | undefined {
  const { flags, args } = parseFlags("delete", given, deleteFlags);
  if (flags.help === true) return undefined;
  const isSelected = flags.all === true || (flags.selector ?? "") !== "" || (flags["field-selector"] ?? "") !== "";
  checkTogether(flags);
  const asked = askedObjects(args);
  checkAsked(asked, flags, isSelected);
  return {
    ...objectChoiceOf(flags, asked),
    isSelected,
    ignoresNotFound: flags["ignore-not-found"] ?? isSelected,
    gracePeriodSeconds: gracePeriodOf(flags),
    isForced: flags.force === true,
    propagationPolicy: policyOf(flags.cascade ?? "background"),
    waits: flags.wait ?? true,
    timeoutMs: durationOf("delete", "--timeout", flags.timeout ?? "0s"),
    output: outputOf(flags.output ?? ""),
    dryRun: dryRunOf(flags["dry-run"] ?? "none"),
  };
}

type Flags = FlagValues<typeof deleteFlags>;

function checkTogether(flags: Flags): void {
  if (flags.all === true && (flags.selector ?? "") !== "")
    throw new KubectlError("setting 'all' parameter but found a non empty selector. ");
  if (flags.all === true && (flags["field-selector"] ?? "") !== "")
    throw new KubectlError("cannot set --all and --field-selector at the same time");
  if (flags.now === true && flags["grace-period"] !== undefined)
    throw new KubectlError("--now and --grace-period cannot be specified together");
}

function checkAsked(asked: AskedObjects, flags: Flags, isSelected: boolean): void {
  const hasFiles = flags.filename.length > 0;
  if (asked.by === "nothing" && !hasFiles)
    throw new UsageError("delete: a type and a name must be given, or -f FILE, for instance `kubeloop delete pod web`");
  if (asked.by !== "nothing" && hasFiles)
    throw new KubectlError(
      "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    );
  if (asked.by === "type" && !isSelected)
    throw new KubectlError("resource(s) were provided, but no name was specified");
}

function gracePeriodOf(flags: Flags): number | undefined {
  const text = flags["grace-period"] ?? (flags.now === true ? "1" : "-1");
  if (!/^-?\d+$/.test(text)) throw new UsageError(`delete: --grace-period must be a whole number, not "${text}"`);
  const seconds = Number(text);
  if (flags.force !== true) return seconds === 0 ? 1 : seconds < 0 ? undefined : seconds;
  if (seconds > 0) throw new KubectlError("--force and --grace-period greater than 0 cannot be specified together");
  return 0;
}

function policyOf(text: string): DeleteOptions["propagationPolicy"] {
  switch (text) {
    case "background":
      return "Background";
    case "foreground":
      return "Foreground";
    case "orphan":
      return "Orphan";
    default:
      throw new KubectlError(`invalid cascade value (${text}). Must be "background", "foreground", or "orphan"`);
  }
}

function outputOf(text: string): DeleteOptions["output"] {
  if (text === "") return "text";
  if (text === "name") return "name";
  throw new KubectlError(`unexpected -o output mode: ${text}. We only support '-o name'`);
}

export function dryRunOf(text: string): DryRun {
  if (text === "none" || text === "client" || text === "server") return text;
  throw new KubectlError(`Invalid dry-run value (${text}). Must be "none", "server", or "client".`);
}
