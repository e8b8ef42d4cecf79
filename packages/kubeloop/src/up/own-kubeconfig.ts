// The kubeconfig of a server that runs here: one file, which belongs to its owner alone, since it holds the administrator's key.
//
// Promises: readers see all of it or nothing; a link in its place is replaced, never followed; the file of another server that still
// runs is left alone, in the beginning and in the end. What goes wrong is a UsageError.
import { lstatSync, readFileSync, type Stats, unlinkSync } from "node:fs";
import { link, lstat, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { connect } from "node:tls";
import { type Clock, deferred, onAbort, timeoutSignal } from "@kubeloop/core/base";
import { parseKubeconfig } from "@kubeloop/core/client";
import { UsageError } from "../usage-error.ts";
import { codeOf, fileFault, isWithoutLinks } from "./start-faults.ts";

export interface OwnKubeconfig {
  readonly path: string;
  /** Where this server listens. */
  readonly port: number;
  readonly content: string;
}

/** How long a server may take to say who it is. */
const answerMs = 2_000;
/** So often somebody else may come in between. */
const maxTries = 5;

/** Nothing is written once the signal has aborted. */
export async function putKubeconfig(own: OwnKubeconfig, clock: Clock, signal: AbortSignal): Promise<void> {
  const { path } = own;
  try {
    // Beside the target, since only within one file system things appear whole; nobody else may enter.
    const drafts = await mkdtemp(join(dirname(path), ".draft-"));
    try {
      await putFrom(drafts, own, clock, signal);
    } finally {
      await rm(drafts, { recursive: true, force: true });
    }
  } catch (error) {
    throw fileFault(error, "write", path);
  }
}

async function putFrom(
  drafts: string,
  { path, port, content }: OwnKubeconfig,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const draft = join(drafts, "kubeconfig");
  await writeDraft(draft, content);
  for (let left = maxTries; left > 0; left--) {
    await makeRoom({ path, ownPort: port }, clock, signal);
    if (signal.aborted || (await appear(draft, path))) return;
  }
  throw new UsageError(`up: ${path} is written by others all the time; run this in another folder`);
}

/** Gone, if it is still ours. At once, so that there is time for it while the process exits. */
export function removeKubeconfig({ path, content }: OwnKubeconfig): void {
  try {
    if (lstatSync(path).isFile() && readFileSync(path, "utf8") === content) unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileFault(error, "remove", path);
  }
}

async function writeDraft(draft: string, content: string): Promise<void> {
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(content, "utf8");
    await file.sync();
  } finally {
    await file.close();
  }
}

/** False if somebody else was there first. */
async function appear(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!isWithoutLinks(code)) throw error;
    await rename(draft, path);
    return true;
  }
}

interface Target {
  readonly path: string;
  /** Where the caller listens itself: a kubeconfig that leads there is of a server that has gone. */
  readonly ownPort: number | undefined;
}

/** Throws if the kubeconfig there leads to a server that still runs, before anything is touched. */
export async function requireNoOther(path: string, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await mustGo({ path, ownPort: undefined }, clock, signal);
  } catch (error) {
    throw fileFault(error, "write", path);
  }
}

/** Takes away what leads nowhere; throws for what must stay. */
async function makeRoom(target: Target, clock: Clock, signal: AbortSignal): Promise<void> {
  if (await mustGo(target, clock, signal)) await rm(target.path, { force: true });
}

/** Whether something is there that leads nowhere; throws for what must stay. */
async function mustGo({ path, ownPort }: Target, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const found = await whatIsAt(path);
  if (found === undefined || signal.aborted) return false;
  if (found.isFile()) {
    const server = await runningServer(await readFile(path, "utf8"), { ownPort, clock }, signal);
    if (signal.aborted) return false;
    if (server !== undefined) {
      const wayOut = "stop it first, or run this in another folder";
      throw new UsageError(`up: ${path} leads to a server that still runs, ${server}; ${wayOut}`);
    }
  } else if (!found.isSymbolicLink()) {
    const what = found.isDirectory() ? "a folder" : "no file";
    throw new UsageError(`up: ${path} is ${what}; remove it, or run this in another folder`);
  }
  return true;
}

async function whatIsAt(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Where the server of this kubeconfig runs, unless it does not. Of the file only what `up` writes is used: it may be anybody's. */
async function runningServer(
  text: string,
  { ownPort, clock }: Pick<Target, "ownPort"> & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<string | undefined> {
  const written = await parseKubeconfig(text).catch(() => undefined);
  const { server = "", "certificate-authority-data": authority = "" } = written?.clusters?.[0]?.cluster ?? {};
  const address = /^https:\/\/127\.0\.0\.1:(\d{1,5})$/.exec(server);
  const port = Number(address?.[1] ?? 0);
  if (port === 0 || port > 65_535 || port === ownPort || authority === "") return undefined;
  return (await isThere(port, Buffer.from(authority, "base64").toString("utf8"), clock, signal)) ? server : undefined;
}

/** Whether it is this authority's server that listens there: the port alone may have gone to another one. */
async function isThere(port: number, caPem: string, clock: Clock, signal: AbortSignal): Promise<boolean> {
  using patience = timeoutSignal(signal, answerMs, { clock, what: "the server of a kubeconfig" });
  const answer = deferred<boolean>();
  // One that takes the connection and says nothing may be busy, or stopped for a while: it is not gone.
  using _patience = onAbort(patience.signal, () => answer.resolve(true));
  try {
    const socket = connect({ host: "127.0.0.1", port, ca: caPem });
    socket.on("secureConnect", () => answer.resolve(true));
    socket.on("error", () => answer.resolve(false));
    socket.on("close", () => answer.resolve(false));
    const isRunning = await answer.promise;
    socket.destroy();
    return isRunning;
  } catch {
    // No certificate at all.
    return false;
  }
}
