// What `kubeloop wait` may be told.
import { UsageError } from "../../usage-error.ts";
import { durationOf } from "../duration-of.ts";
import { parseFlags } from "../flags.ts";
import { choiceFlags, type ObjectChoice, objectChoiceOf } from "../object-choice.ts";
import { askedObjects } from "../resource-args.ts";
import { type Condition, parseCondition } from "./condition.ts";

export interface WaitOptions extends ObjectChoice {
  readonly conditions: readonly Condition[];
  /** 0 looks once. */
  readonly timeoutMs: number;
  readonly output: "text" | "name";
}

const waitFlags = {
  ...choiceFlags,
  for: { type: "list" },
  timeout: { type: "text" },
  output: { type: "text", short: "o" },
} as const;

export const waitHelp = `kubeloop wait: wait until objects are as they should be

Usage:
  kubeloop wait TYPE/NAME... --for=CONDITION [options]
  kubeloop wait TYPE (NAME... | -l LABELS | --all) --for=CONDITION [options]
  kubeloop wait -f FILE|DIR|- --for=CONDITION [options]

Conditions:
  --for=condition=NAME[=VALUE]       a condition of the status; VALUE is true unless given
  --for=delete                       gone
  --for=create                       there
  --for=jsonpath='{PATH}'[=VALUE]    a field has this value, or any

Options:
      --timeout TIME           30s, 5m; 0s looks once, less than 0 is a week (default: 30s)
  -n, --namespace NAMESPACE    instead of the context's
  -A, --all-namespaces         of all namespaces
  -l, --selector LABELS        objects with these labels
      --field-selector FIELDS  objects with these fields
  -f, --filename FILE          the objects of this file
  -R, --recursive              and of the folders below
  -o, --output name            print only TYPE/NAME
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster, as for \`kubeloop get\`
`;

const weekMs = 7 * 24 * 3_600_000;

/** Undefined if only help was asked for. */
export function parseWaitOptions(given: readonly string[]): WaitOptions | undefined {
  const { flags, args } = parseFlags("wait", given, waitFlags);
  if (flags.help === true) return undefined;
  if (flags.for.length === 0)
    throw new UsageError("wait: --for must say what for, for instance --for=condition=Ready or --for=delete");
  const asked = askedObjects(args);
  if (asked.by === "nothing" && flags.filename.length === 0)
    throw new UsageError("wait: a type and a name must be given, or -f FILE, for instance `kubeloop wait pod/web`");
  const { output = "" } = flags;
  if (output !== "" && output !== "name") throw new UsageError(`wait: --output must be name, not "${output}"`);
  const timeoutMs = durationOf("wait", "--timeout", flags.timeout ?? "30s");
  return {
    ...objectChoiceOf(flags, asked),
    conditions: flags.for.map(parseCondition),
    timeoutMs: timeoutMs < 0 ? weekMs : timeoutMs,
    output: output === "name" ? "name" : "text",
  };
}
