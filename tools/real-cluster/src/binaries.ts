// Where the programs of a real cluster come from. In this order: KUBEBUILDER_ASSETS, PATH, the programs already built
// from the manifests, and, if the caller allows the minutes, building them. A program found lying about is asked for its
// version first; a wrong one is explained and the next source is tried. The answer names every wanted program, or the
// error says for each missing one where was looked and what was wrong there.
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { build, buildFolder, findGo, isBuilt } from "./build.ts";
import { bundleOf } from "./bundles.ts";
import { RealClusterError } from "./errors.ts";
import {
  isKnown,
  type KnownProgram,
  type PinnedVersions,
  type Program,
  parseVersion,
  readPinnedVersions,
  seriesOf,
  versionArguments,
  wantedSeries,
} from "./programs.ts";
import { runCommand } from "./run-command.ts";

/** The path of each program asked for. */
export type Binaries = ReadonlyMap<Program, string>;

export interface BinariesOptions {
  /** Whether missing programs may be built, which takes minutes. Defaults to no. */
  readonly mayBuild?: boolean;
  /** Defaults to the process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** Told where each program was found and why others were passed over. Defaults to silence. */
  readonly say?: (sentence: string) => void;
}

/** Nothing was found that could be run, and nothing could be built. */
export class BinariesMissingError extends RealClusterError {
  /** What was found in a usable version, or at least was pointed to. */
  readonly isAnythingThere: boolean;
  readonly hasGo: boolean;

  constructor(message: string, facts: { readonly isAnythingThere: boolean; readonly hasGo: boolean }) {
    super(message, { reason: "BinariesMissing" });
    this.isAnythingThere = facts.isAnythingThere;
    this.hasGo = facts.hasGo;
  }
}

export async function findBinaries(
  wanted: readonly Program[],
  options: BinariesOptions,
  signal: AbortSignal,
): Promise<Binaries> {
  const { env = process.env, say = () => {}, mayBuild = false } = options;
  const pinned = await readPinnedVersions();
  const passedOver: string[] = [];
  const found = new Map<Program, string>();
  for (const program of wanted) {
    const path = await findUsable(program, { pinned, env, passedOver }, signal);
    if (path !== undefined) found.set(program, path);
  }
  for (const sentence of passedOver) say(sentence);
  for (const [program, path] of found) say(`${program} found at ${path}`);
  const missing = wanted.filter((program) => !found.has(program));
  if (missing.length === 0) return found;

  const bundles = new Set(missing.map(bundleOf));
  for (const bundle of bundles) {
    const folder = await buildFolder(bundle, pinned, env);
    const parts = missing.filter((program) => bundleOf(program) === bundle);
    if (!(await isBuilt(folder))) {
      const go = await findGo(env, signal);
      if (go === undefined || !mayBuild) {
        throw new BinariesMissingError(missingMessage(parts, passedOver, { hasGo: go !== undefined }), {
          isAnythingThere: found.has("kube-apiserver") || (env["KUBEBUILDER_ASSETS"] ?? "") !== "",
          hasGo: go !== undefined,
        });
      }
      await build(folder, { bundle, pinned, env, say }, signal);
    }
    for (const program of parts) found.set(program, join(folder, program));
    say(`${parts.join(", ")} built from the manifests at ${folder}`);
  }
  return found;
}

interface Search {
  readonly pinned: PinnedVersions;
  readonly env: NodeJS.ProcessEnv;
  /** Collects a sentence for each program that was found and is not used. */
  readonly passedOver: string[];
}

async function findUsable(program: Program, search: Search, signal: AbortSignal): Promise<string | undefined> {
  if (!isKnown(program)) return undefined;
  const wanted = wantedSeries(program, search.pinned);
  for (const folder of searchedFolders(search.env)) {
    const path = join(folder, program);
    if (!(await isExecutable(path))) continue;
    const version = await askVersion(path, program, signal);
    if (version !== undefined && seriesOf(version) === wanted) return path;
    search.passedOver.push(`${path} is ${version ?? "of an unknown version"}, not ${wanted}: passed over`);
  }
  return undefined;
}

export function searchedFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const assets = env["KUBEBUILDER_ASSETS"] ?? "";
  return [assets, ...(env["PATH"] ?? "").split(delimiter)].filter((folder) => folder !== "");
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false; // whatever keeps us from running it, it is not ours to use
  }
}

async function askVersion(path: string, program: KnownProgram, signal: AbortSignal): Promise<string | undefined> {
  const answer = await runCommand(path, versionArguments(program), {}, signal);
  return answer?.status === 0 ? parseVersion(answer.output) : undefined;
}

function missingMessage(missing: readonly Program[], passedOver: readonly string[], go: { hasGo: boolean }): string {
  return [
    `no usable ${missing.join(", ")} in KUBEBUILDER_ASSETS or PATH`,
    ...passedOver,
    go.hasGo
      ? "Go is installed: `npm run test:kubernetes` builds them once"
      : "Go is not installed, so they cannot be built from tools/real-cluster/manifests either",
  ].join("; ");
}

/** The path of a program that was asked for. */
export function pathOf(binaries: Binaries, program: Program): string {
  const path = binaries.get(program);
  if (path !== undefined) return path;
  throw new RealClusterError(`${program} was not looked for`, { reason: "Unknown" });
}
