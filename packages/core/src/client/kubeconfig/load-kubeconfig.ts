// Finds and reads kubeconfig files: the given one, else those in KUBECONFIG, else ~/.kube/config. The given file
// must exist; the others may be missing.
import { delimiter, join, resolve } from "node:path";
import { isAborted, type Log } from "../../base/index.ts";
import { fileFault, type Host, isMissing } from "../credentials/host.ts";
import { parseKubeconfig } from "./decode-kubeconfig.ts";
import { KubeconfigError, type KubeconfigFault } from "./kubeconfig-error.ts";
import { type KubeconfigFile, type MergedKubeconfig, mergeKubeconfigs } from "./merge-kubeconfigs.ts";

export interface KubeconfigFilesOptions {
  /** One file to read instead of all others. */
  readonly path?: string;
  readonly host: Host;
  readonly log: Log;
}

/** Returns the merged files; throws the faults of all files at once. */
export async function loadKubeconfigFiles(
  options: KubeconfigFilesOptions,
  signal: AbortSignal,
): Promise<MergedKubeconfig> {
  const paths = kubeconfigPaths(options);
  const readings = await Promise.all(paths.map((path) => readKubeconfig(path, options, signal)));
  const faults = readings.flatMap((reading) => ("faults" in reading ? reading.faults : []));
  if (faults.length > 0) throw new KubeconfigError(faults);
  const files = readings.flatMap((reading) => ("kubeconfig" in reading ? [reading] : []));
  if (files.length === 0 && isListed(options.host)) options.log.warn("none of the kubeconfig files exists", { paths });
  return mergeKubeconfigs(files);
}

/** Absolute, in the order of precedence. */
export function kubeconfigPaths({ path, host }: Pick<KubeconfigFilesOptions, "path" | "host">): readonly string[] {
  const listed = (host.env["KUBECONFIG"] ?? "").split(delimiter);
  const paths = path !== undefined ? [path] : isListed(host) ? listed : [join(host.homedir(), ".kube", "config")];
  return [...new Set(paths.filter((each) => each !== ""))].map((each) => resolve(host.cwd(), each));
}

function isListed(host: Host): boolean {
  return (host.env["KUBECONFIG"] ?? "") !== "";
}

type Reading = KubeconfigFile | { readonly faults: readonly KubeconfigFault[] };

async function readKubeconfig(file: string, options: KubeconfigFilesOptions, signal: AbortSignal): Promise<Reading> {
  let text: string;
  try {
    text = await options.host.readFile(file, signal);
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    const isOptional = options.path === undefined;
    return { faults: isOptional && isMissing(error) ? [] : [{ file, path: "", message: fileFault(error) }] };
  }
  try {
    return { file, kubeconfig: await parseKubeconfig(text, file) };
  } catch (error) {
    if (error instanceof KubeconfigError) return { faults: error.faults };
    throw error;
  }
}
