// `kubeloop generate`: CRDs in, modules out. Everything is read, checked and written in memory before the first file is
// touched, so that a fault leaves nothing half done.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "../usage-error.ts";
import { type Crd, chooseVersion, schemaOf } from "./crd.ts";
import { readCrds } from "./read-crds.ts";
import type { ClusterChoice, GenerateWorld } from "./world.ts";
import { type GeneratedModule, writeModule } from "./write-module.ts";

export const generateHelp = `kubeloop generate: TypeScript types, resource, informer and lister for custom resources

Usage:
  kubeloop generate --crd FILE [--crd FILE ...] [options]     from YAML or JSON files; - is standard input
  kubeloop generate --crd-name NAME [options]                 from a running cluster: widgets.example.com

For each CustomResourceDefinition one module, GROUP/VERSION/KIND.ts. Other objects in the files are passed over.

Options:
  --out DIR            where to write; "generated" unless given, - is standard output
  --version VERSION    which version of the CRDs; the best that is served unless given
  --kubeconfig FILE    for --crd-name; found as kubectl finds it unless given
  --context NAME       for --crd-name; the kubeconfig's current one unless given
`;

/** What to print. Throws a UsageError for whatever a person can put right. */
export async function generateCommand(
  args: readonly string[],
  world: GenerateWorld,
  signal: AbortSignal,
): Promise<string> {
  const options = parseOptions(args);
  if (options.help) return generateHelp;
  const files = options.crd ?? [];
  const names = options["crd-name"] ?? [];
  if (files.length + names.length === 0) throw new UsageError("generate: --crd or --crd-name must be given");
  const crds: Crd[] = [];
  for (const file of files) crds.push(...readCrds(await world.read(file), file === "-" ? "standard input" : file));
  const cluster: ClusterChoice = { path: options.kubeconfig, context: options.context };
  if (names.length > 0) crds.push(...(await world.fetchCrds(names, cluster, signal)));

  const modules = crds.map((crd) => {
    const version = chooseVersion(crd, options.version);
    return writeModule(crd, version, schemaOf(crd, version));
  });
  checkPaths(modules);
  if (options.out === "-") return modules.map(({ text }) => text).join("\n");
  const written = modules.map(({ path, text }) => ({ path: join(options.out, path), text }));
  for (const { path, text } of written) await world.write(path, text);
  return written.map(({ path }) => `${path}\n`).join("");
}

function checkPaths(modules: readonly GeneratedModule[]): void {
  const texts = new Map<string, string>();
  for (const { path, text } of modules) {
    const other = texts.get(path);
    if (other !== undefined && other !== text) throw new UsageError(`two different CRDs would both become ${path}`);
    texts.set(path, text);
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        crd: { type: "string", multiple: true },
        "crd-name": { type: "string", multiple: true },
        out: { type: "string", default: "generated" },
        version: { type: "string" },
        kubeconfig: { type: "string" },
        context: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (cause) {
    // Node's own messages name the option; their second sentence is about quoting.
    throw new UsageError(`generate: ${String((cause as Error).message).split(". ")[0]}`);
  }
}
