// `--merge-kubeconfig`: the cluster as one more context of the kubeconfig that kubectl uses, and the current one, while it runs.
//
// Promises: everything else in the file stays, comments included; it is replaced as a whole, under kubectl's lock, and keeps its mode; a new one is its
// owner's alone. In the end the context goes, if it is still this cluster's, and the one that was current before is current again. A file that
// is no kubeconfig is left alone, with one sentence.
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { UsageError } from "../usage-error.ts";
import { codeOf, fileFault } from "./start-faults.ts";

/** The entries of one cluster, by the name of its list. */
export interface KubeconfigEntries {
  readonly clusters: NamedEntry & { readonly cluster: { readonly server?: string } };
  readonly users: NamedEntry;
  readonly contexts: NamedEntry;
}

interface NamedEntry {
  readonly name: string;
}

/** Where kubectl writes: the first file of KUBECONFIG, or the one in the home folder. */
export function usersKubeconfigPath(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const [first] = (env["KUBECONFIG"] ?? "")
    .split(process.platform === "win32" ? ";" : ":")
    .filter((path) => path !== "");
  return first ?? join(home, ".kube", "config");
}

/** Returns what takes it out again. */
export function mergeIntoKubeconfig(path: string, entries: KubeconfigEntries): { remove(): void } {
  let before: string | undefined;
  change(path, (document) => {
    const current = document.get("current-context");
    before = typeof current === "string" && current !== entries.contexts.name ? current : undefined;
    put(document, entries);
  });
  return {
    remove: () =>
      change(path, (document) => {
        if (!isOurs(document, entries)) return;
        take(document, entries);
        if (document.get("current-context") === entries.contexts.name) document.set("current-context", before ?? "");
      }),
  };
}

const lists = ["clusters", "users", "contexts"] as const;

function put(document: Document, entries: KubeconfigEntries): void {
  if (document.get("apiVersion") === undefined) document.set("apiVersion", "v1");
  if (document.get("kind") === undefined) document.set("kind", "Config");
  for (const list of lists) {
    const items = listOf(document, list);
    const node = document.createNode(entries[list]);
    const at = indexOf(items, entries[list].name);
    if (at === -1) items.add(node);
    else items.items[at] = node;
  }
  document.set("current-context", entries.contexts.name);
}

function take(document: Document, entries: KubeconfigEntries): void {
  for (const list of lists) {
    const items = listOf(document, list);
    const at = indexOf(items, entries[list].name);
    if (at !== -1) items.delete(at);
  }
}

/** Another cluster may have taken the name since. */
function isOurs(document: Document, { clusters: { name, cluster } }: KubeconfigEntries): boolean {
  const items = listOf(document, "clusters");
  const at = indexOf(items, name);
  return at !== -1 && items.getIn([at, "cluster", "server"]) === cluster.server;
}

function listOf(document: Document, list: string): YAMLSeq {
  const found = document.get(list, true);
  if (isSeq(found)) return found;
  const made = document.createNode([]) as YAMLSeq;
  document.set(list, made);
  return made;
}

const indexOf = ({ items }: YAMLSeq, name: string) =>
  items.findIndex((item) => isMap(item) && (item as YAMLMap).get("name") === name);

function change(path: string, edit: (document: Document) => void): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // A link is followed, as kubectl follows it: what it leads to is what people keep.
    const target = realPath(path);
    locked(target, () => {
      const document = readDocument(target);
      edit(document);
      replace(target, document.toString({ lineWidth: 0 }));
    });
  } catch (error) {
    throw fileFault(error, "write", path);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return path;
    throw error;
  }
}

function readDocument(path: string): Document {
  const document = parseDocument(readText(path));
  const [fault] = document.errors;
  const isEmpty = document.contents === null;
  if (fault !== undefined || !(isEmpty || isMap(document.contents)))
    throw new UsageError(`up: ${path} is not a kubeconfig; nothing was written there`);
  if (isEmpty) document.contents = document.createNode({}) as never;
  return document;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

function replace(path: string, text: string): void {
  const draft = `${path}.kubeloop-draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, modeOf(path));
  renameSync(draft, path);
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0o600;
    throw error;
  }
}

/** As kubectl does: whoever can make the file beside it may write. */
function locked(path: string, work: () => void): void {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new UsageError(
      `up: ${path} is being written by another program, or one has left ${lock} behind; remove it if so`,
    );
  }
  try {
    work();
  } finally {
    unlinkSync(lock);
  }
}
