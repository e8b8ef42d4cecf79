// Merges several kubeconfigs as kubectl merges the files of KUBECONFIG: of entries with the same name the first wins
// as a whole, and so does the first current-context. Each entry keeps its file and position, for relative paths
// and for messages.
import { dirname, isAbsolute, join, sep } from "node:path";
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig.ts";

export interface KubeconfigFile {
  /** Absolute; undefined for a kubeconfig that is not from a file. */
  readonly file?: string;
  readonly kubeconfig: Kubeconfig;
}

export interface Located<T> {
  readonly value: T;
  readonly file?: string;
  /** "users[1].user" */
  readonly path: string;
}

export interface MergedKubeconfig {
  readonly clusters: ReadonlyMap<string, Located<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Located<KubeconfigUser>>;
  readonly contexts: ReadonlyMap<string, Located<KubeconfigContext>>;
  readonly currentContext: Located<string> | undefined;
  readonly extensions: Kubeconfig["extensions"];
  /** The files that were read. */
  readonly files: readonly string[];
}

/** `files` are in the order of precedence. Relative paths become absolute, relative to their file. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): MergedKubeconfig {
  const clusters = new Map<string, Located<KubeconfigCluster>>();
  const users = new Map<string, Located<KubeconfigUser>>();
  const contexts = new Map<string, Located<KubeconfigContext>>();
  let currentContext: Located<string> | undefined;
  for (const { file, kubeconfig } of files) {
    const located = <T>(value: T, path: string): Located<T> => ({
      value,
      path,
      ...(file === undefined ? {} : { file }),
    });
    kubeconfig.clusters?.forEach(({ name, cluster }, index) => {
      addFirst(clusters, name, located(resolveCluster(cluster, file), `clusters[${index}].cluster`));
    });
    kubeconfig.users?.forEach(({ name, user }, index) => {
      addFirst(users, name, located(resolveUser(user, file), `users[${index}].user`));
    });
    kubeconfig.contexts?.forEach(({ name, context }, index) => {
      addFirst(contexts, name, located(context, `contexts[${index}].context`));
    });
    const current = kubeconfig["current-context"];
    if (current !== undefined) currentContext ??= located(current, "current-context");
  }
  const names = files.flatMap(({ file }) => (file === undefined ? [] : [file]));
  return { clusters, users, contexts, currentContext, extensions: mergeExtensions(files), files: names };
}

/** Converts back to one kubeconfig that can be printed; names in alphabetical order, as kubectl writes them. */
export function toKubeconfig(merged: MergedKubeconfig): Kubeconfig {
  const { currentContext, extensions } = merged;
  return {
    clusters: sorted(merged.clusters).map(([name, { value }]) => ({ name, cluster: value })),
    contexts: sorted(merged.contexts).map(([name, { value }]) => ({ name, context: value })),
    ...(currentContext === undefined ? {} : { "current-context": currentContext.value }),
    users: sorted(merged.users).map(([name, { value }]) => ({ name, user: value })),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

function sorted<T>(map: ReadonlyMap<string, T>): (readonly [string, T])[] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

function addFirst<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name)) map.set(name, value);
}

function mergeExtensions(files: readonly KubeconfigFile[]): Kubeconfig["extensions"] {
  const byName = new Map<string, { readonly name: string; readonly extension: unknown }>();
  for (const extension of files.flatMap(({ kubeconfig }) => kubeconfig.extensions ?? [])) {
    addFirst(byName, extension.name, extension);
  }
  return byName.size === 0 ? undefined : [...byName.values()];
}

function resolveCluster(cluster: KubeconfigCluster, file: string | undefined): KubeconfigCluster {
  return resolvePaths(cluster, ["certificate-authority"], file);
}

function resolveUser(user: KubeconfigUser, file: string | undefined): KubeconfigUser {
  const resolved = resolvePaths(user, ["client-certificate", "client-key", "tokenFile"], file);
  // A bare name is looked up in PATH.
  if (user.exec?.command?.includes(sep) !== true) return resolved;
  return { ...resolved, exec: resolvePaths(user.exec, ["command"], file) };
}

function resolvePaths<T extends object, K extends keyof T>(value: T, keys: readonly K[], file: string | undefined): T {
  if (file === undefined) return value;
  const changes = keys.flatMap((key) => {
    const path = value[key];
    return typeof path === "string" && !isAbsolute(path) ? [[key, join(dirname(file), path)] as const] : [];
  });
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}
