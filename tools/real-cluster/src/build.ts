// Builds a bundle of pinned programs with Go, once, into a folder named after everything that went in: the manifests and
// what lies beside them, the flags, the platform. A folder of that name is complete or does not exist (it is renamed into place), whoever else builds at
// the same time; the lock only keeps two processes from both spending the minutes.
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, buildsOf, describeBuild, type GoBuild, manifestsOf } from "./bundles.ts";
import { hasCode, RealClusterError } from "./errors.ts";
import { openLock } from "./lock.ts";
import { manifests, type PinnedVersions } from "./programs.ts";
import { runCommand } from "./run-command.ts";

/** Where built programs are kept: `KUBELOOP_CACHE`, or kubeloop's folder in the user's cache. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const own = env["KUBELOOP_CACHE"];
  if (own !== undefined && own !== "") return join(own, "real-cluster");
  const cache = env["XDG_CACHE_HOME"];
  return join(cache === undefined || cache === "" ? join(homedir(), ".cache") : cache, "kubeloop", "real-cluster");
}

/** The folder this machine's build of a bundle has, or will have. */
export async function buildFolder(bundle: Bundle, pinned: PinnedVersions, env: NodeJS.ProcessEnv): Promise<string> {
  const hash = createHash("sha256");
  for (const manifest of manifestsOf(bundle)) {
    const folder = manifests[manifest];
    for (const name of (await readdir(folder)).sort()) hash.update(await readFile(new URL(name, folder)));
  }
  hash.update(JSON.stringify([process.platform, process.arch, buildsOf(bundle, pinned, "")]));
  return join(cacheFolder(env), hash.digest("hex").slice(0, 16));
}

/** Whether that folder is there; if so it is complete. */
export async function isBuilt(folder: string): Promise<boolean> {
  try {
    await access(folder);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** `go version`'s answer, or undefined where Go is not installed. */
export async function findGo(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | undefined> {
  const answer = await runCommand("go", ["version"], { env }, signal);
  return answer?.status === 0 ? answer.stdout.trim() : undefined;
}

export interface BuildOptions {
  readonly bundle: Bundle;
  readonly pinned: PinnedVersions;
  readonly env: NodeJS.ProcessEnv;
  /** Told what is going on, one sentence at a time. */
  readonly say: (sentence: string) => void;
}

/** Leaves a complete `folder`, built here or by another process meanwhile. */
export async function build(folder: string, options: BuildOptions, signal: AbortSignal): Promise<void> {
  await mkdir(join(folder, ".."), { recursive: true });
  const waits = (pid: number) => options.say(`process ${pid} is building the same programs; waiting for it`);
  await using _lock = await openLock(`${folder}.lock`, waits, signal);
  if (await isBuilt(folder)) return;
  const { bundle, pinned, env } = options;
  options.say(`building ${describeBuild(bundle, pinned)}`);
  const draft = await mkdtemp(`${folder}.building-`);
  try {
    for (const each of buildsOf(bundle, pinned, draft)) await goBuild(each, env, signal);
    await renameUnlessThere(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function goBuild({ manifest, command = ["build"], args }: GoBuild, env: NodeJS.ProcessEnv, signal: AbortSignal) {
  // Without cgo no C compiler is needed, and the programs come out the same wherever they are built.
  const options = { folder: fileURLToPath(manifests[manifest]), env: { ...env, CGO_ENABLED: "0" } };
  const answer = await runCommand("go", [...command, ...args], options, signal);
  if (answer?.status === 0) return;
  const why = answer === undefined ? "go could not be run" : answer.output.trim().split("\n").slice(-20).join("\n");
  throw new RealClusterError(`go ${command[0]} of the ${manifest} manifest failed:\n${why}`, { reason: "BuildFailed" });
}

async function renameUnlessThere(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST", "ENOTEMPTY")) throw error;
  }
}
