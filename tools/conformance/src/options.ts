// What `npm run test:conformance` may be told. A word that it does not understand is a ConformanceError of one sentence.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ConformanceError } from "./conformance-error.ts";

export interface ConformanceOptions {
  /** Letters of classes, or patterns. None: class A without what is left out. */
  readonly words: readonly string[];
  /** Whose controller manager runs beside the API server. */
  readonly manager: "upstream" | "ours";
  /** Whether scheduler and nodes are ours as well; else the scheduler is upstream's and the nodes run nothing. */
  readonly ours: boolean;
  /** Whose API server is judged with them: the embedded one, or a real kube-apiserver with etcd that our parts join. */
  readonly server: "embedded" | "real";
  readonly fast: boolean;
  readonly passing: boolean;
  readonly update: boolean;
  readonly list: boolean;
  readonly procs: number;
  readonly timeoutMinutes: number;
  readonly help: boolean;
}

export const help = `Kubernetes' conformance suite (e2e.test 1.36.4) against kubeloop up, with its own parts or with upstream's manager and scheduler beside it

Usage:
  npm run test:conformance -- [options] [classes or patterns]

Each word is a string of classes (A, AS) or a pattern for the names of specs. Without words: class A, the specs that need nothing of a node,
but for those that the table leaves out with a reason. docs/conformance.md has the classes. Serial specs run alone, the others in parallel. A spec that passes in the table
(tools/conformance/data/specs.json) and does not pass now makes the exit code 1.

Options:
  --manager WHOSE    upstream: kube-controller-manager; ours: the one of kubeloop up (default: upstream)
  --ours             manager, scheduler and hollow nodes are those of kubeloop up: nothing of upstream's runs beside it (default where a spec is of
                     another class than A)
  --server WHICH     embedded: that of kubeloop up; real: a kube-apiserver with etcd, which manager, scheduler and nodes of kubeloop up join (default:
                     embedded)
  --fast             only the specs that are marked as fast in the table: a few dozens
  --passing          only the specs that pass in the table
  --update           write what was found into the table and into docs/conformance.md; a spec that passed is never written down as failing
  --list             print the chosen specs with what the table says of them, and run nothing
  --procs COUNT      how many specs to run at the same time (default: four times the cores, since specs mostly wait)
  --timeout MINUTES  end the run after that long; what has not run by then is not judged (default: 60)
  -h, --help         print this

Builds e2e.test with Go, once, unless it is in the cache. Where Go is missing it says so, runs nothing, and succeeds.
`;

export function parseOptions(args: readonly string[]): ConformanceOptions {
  const { values, positionals } = parse(args);
  const { manager, server } = values;
  if (manager !== "upstream" && manager !== "ours") {
    throw usage(`--manager must be upstream or ours, not ${JSON.stringify(manager)}`);
  }
  if (server !== "embedded" && server !== "real") {
    throw usage(`--server must be embedded or real, not ${JSON.stringify(server)}`);
  }
  if (server === "real" && values.update) throw usage("--update is for the embedded server: the table is about that");
  const ours = values.ours || server === "real";
  return {
    words: positionals,
    manager: ours ? "ours" : manager,
    ours,
    server,
    fast: values.fast,
    passing: values.passing,
    update: values.update,
    list: values.list,
    procs: atLeastOne("--procs", values.procs ?? String(4 * availableParallelism())),
    timeoutMinutes: atLeastOne("--timeout", values.timeout),
    help: values.help,
  };
}

function atLeastOne(name: string, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw usage(`${name} must be a whole number from 1 on, not ${JSON.stringify(text)}`);
  return Number(text);
}

const usage = (sentence: string, cause?: unknown) =>
  new ConformanceError(`${sentence}; --help tells more`, { reason: "Usage", cause });

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        manager: { type: "string", default: "upstream" },
        ours: { type: "boolean", default: false },
        server: { type: "string", default: "embedded" },
        fast: { type: "boolean", default: false },
        passing: { type: "boolean", default: false },
        update: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        procs: { type: "string" },
        timeout: { type: "string", default: "60" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (cause) {
    // Node's own messages name the option; what comes after the first sentence is about quoting.
    throw usage(String((cause as Error).message).split(/\.(?:\s|$)/)[0] ?? "", cause);
  }
}
