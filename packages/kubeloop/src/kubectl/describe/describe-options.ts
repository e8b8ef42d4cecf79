// What `kubeloop describe` may be told.
import { UsageError } from "../../usage-error.ts";
import { parseFlags } from "../flags.ts";
import { KubectlError } from "../kubectl-error.ts";
import { manifestFlags } from "../manifests.ts";
import { type ObjectChoice, objectChoiceOf } from "../object-choice.ts";
import { clusterFlags } from "../open-cluster.ts";
import { askedObjects } from "../resource-args.ts";

export interface DescribeOptions extends ObjectChoice {
  /** What names may begin with if there is no object of that name: the second of two arguments. */
  readonly prefix: string | undefined;
  /** Undefined: for one object yes, for several no. */
  readonly showEvents: boolean | undefined;
  readonly chunkSize: number;
}

const describeFlags = {
  ...clusterFlags,
  ...manifestFlags,
  "all-namespaces": { type: "switch", short: "A" },
  selector: { type: "text", short: "l" },
  "show-events": { type: "switch" },
  "chunk-size": { type: "text" },
} as const;

export const describeHelp = `kubeloop describe: print all that is known about objects, as kubectl does

Usage:
  kubeloop describe TYPE[,TYPE...] [options]
  kubeloop describe TYPE NAME... [options]       a single NAME that there is not is the beginning of names
  kubeloop describe TYPE/NAME... [options]
  kubeloop describe -f FILE|DIR|- [options]

Options:
  -n, --namespace NAMESPACE    instead of the context's
  -A, --all-namespaces         of all namespaces
  -l, --selector LABELS        app=web,tier!=back, 'app in (a, b)'
  -f, --filename FILE          the objects of this file, of the files of a folder, or of standard input (-)
  -R, --recursive              and of the folders below
      --show-events=BOOL       the events of each object (default: only of a single one)
      --chunk-size NUMBER      objects per request; 0 is all at once (default: 500)
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s, --server URL
                               which cluster, as for \`kubeloop get\`
`;

/** Undefined if only help was asked for. */
export function parseDescribeOptions(given: readonly string[]): DescribeOptions | undefined {
  const { flags, args } = parseFlags("describe", given, describeFlags);
  if (flags.help === true) return undefined;
  const hasFiles = flags.filename.length > 0;
  if (args.length === 0 && !hasFiles) throw new KubectlError(nothingAsked);
  const asked = askedObjects(args);
  if (asked.by !== "nothing" && hasFiles)
    throw new KubectlError(
      "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    );
  return {
    ...objectChoiceOf(flags, asked),
    prefix: args.length === 2 ? args[1] : undefined,
    showEvents: flags["show-events"],
    chunkSize: chunkSizeOf(flags["chunk-size"] ?? "500"),
  };
}

function chunkSizeOf(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new UsageError(`describe: --chunk-size must be a whole number, not "${text}"`);
  const size = Number(text);
  if (size < 0) throw new KubectlError("invalid argument: --chunk-size must not be negative");
  return size;
}

const nothingAsked =
  'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.';
