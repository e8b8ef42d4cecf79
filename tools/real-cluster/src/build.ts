// Builds the pinned programs with Go, once, into a folder named after everything that went in: the manifests, the flags,
// the platform. A folder of that name is complete or does not exist (it is renamed into place), whoever else builds at
// the same time; the lock only keeps two processes from both spending the minutes.
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** The folder this machine's build of the manifests has, or will have. */
export async function buildFolder(pinned: PinnedVersions, env: NodeJS.ProcessEnv): Promise<string> {
  const hash = createHash("sha256");
  for (const manifest of [manifests.kubernetes, manifests.etcd]) {
    for (const name of ["go.mod", "go.sum"]) hash.update(await readFile(new URL(name, manifest)));
  }
  hash.update(JSON.stringify([process.platform, process.arch, buildsOf(pinned, "")]));
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
  options.say(`building etcd and Kubernetes ${options.pinned.kubernetes} with Go; once, about 7 minutes on two cores`);
  const draft = await mkdtemp(`${folder}.building-`);
  try {
    for (const { manifest, args } of buildsOf(options.pinned, draft))
      await goBuild(manifest, args, options.env, signal);
    await renameUnlessThere(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A module does not tell the commit it was made from; unstamped, programs would print a template instead. */
const unknownCommit = "0".repeat(40);

type Manifest = keyof typeof manifests;

/** The calls of `go build` that fill `folder`. */
function buildsOf(pinned: PinnedVersions, folder: string): readonly { manifest: Manifest; args: readonly string[] }[] {
  const [major, minor] = pinned.kubernetes.split(".");
  const stamps = { gitVersion: `v${pinned.kubernetes}`, gitMajor: major, gitMinor: minor, gitCommit: unknownCommit };
  // The second package is where a program's User-Agent comes from.
  const stampFlags = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((stamped) =>
    Object.entries(stamps).map(([name, value]) => `-X ${stamped}.${name}=${value}`),
  );
  const smaller = ["-trimpath", "-buildvcs=false"];
  const kubernetes = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];
  return [
    {
      manifest: "etcd",
      args: [...smaller, "-ldflags=-s -w", "-o", join(folder, "etcd"), "go.etcd.io/etcd/server/v3"],
    },
    {
      manifest: "kubernetes",
      args: [
        ...smaller,
        `-ldflags=-s -w ${stampFlags.join(" ")}`,
        "-o",
        `${folder}/`,
        ...kubernetes.map((name) => `k8s.io/kubernetes/cmd/${name}`),
      ],
    },
  ];
}

async function goBuild(manifest: Manifest, args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal) {
  // Without cgo no C compiler is needed, and the programs come out the same wherever they are built.
  const options = { folder: fileURLToPath(manifests[manifest]), env: { ...env, CGO_ENABLED: "0" } };
  const answer = await runCommand("go", ["build", ...args], options, signal);
  if (answer?.status === 0) return;
  const why = answer === undefined ? "go could not be run" : answer.output.trim().split("\n").slice(-20).join("\n");
  throw new RealClusterError(`go build of the ${manifest} manifest failed:\n${why}`, { reason: "BuildFailed" });
}

async function renameUnlessThere(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST", "ENOTEMPTY")) throw error;
  }
}
