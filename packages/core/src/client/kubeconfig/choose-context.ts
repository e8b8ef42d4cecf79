// Chooses cluster and user of a kubeconfig: those of the current context or of a requested one, with
// overrides for single parts. Pure.
//
// Unlike in kubectl, a context whose user or cluster does not exist is an error, never anonymous access or
// localhost. A context without a user is anonymous.
import type { KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig.ts";
import { KubeconfigError, type KubeconfigFault } from "./kubeconfig-error.ts";
import type { Located, MergedKubeconfig } from "./merge-kubeconfigs.ts";

export interface KubeconfigOverrides {
  /** The context to use instead of the current one. */
  readonly context?: string;
  /** Override the context's cluster, user and namespace. */
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  /** Overrides the cluster's address, and drops the cluster's tls-server-name. */
  readonly server?: string;
}

export interface ChosenContext {
  readonly cluster: Located<KubeconfigCluster>;
  readonly user: Located<KubeconfigUser> | undefined;
  readonly namespace: string;
  /** For people. */
  readonly source: string;
}

/** Throws a KubeconfigError if a part does not exist. */
export function chooseContext(merged: MergedKubeconfig, overrides: KubeconfigOverrides): ChosenContext {
  const faults: KubeconfigFault[] = [];
  const context = findContext(merged, overrides, faults);
  const cluster = findCluster(merged, overrides, context, faults);
  const user = findPart(merged.users, "user", overrides, context, faults);
  if (faults.length > 0 || cluster === undefined) throw new KubeconfigError(faults);
  return {
    cluster: withServer(cluster, overrides.server),
    user,
    namespace: overrides.namespace ?? context?.value.namespace ?? "default",
    source: describeSource(merged, overrides, context),
  };
}

type Faults = KubeconfigFault[];
type Context = Located<KubeconfigContext> | undefined;

function findContext(merged: MergedKubeconfig, overrides: KubeconfigOverrides, faults: Faults): Context {
  const { contexts, currentContext } = merged;
  const name = overrides.context ?? currentContext?.value;
  if (name === undefined) {
    const isNeeded = overrides.cluster === undefined && overrides.server === undefined;
    if (isNeeded) {
      const file = merged.files.join(", ");
      faults.push({
        ...(file === "" ? {} : { file }),
        path: "current-context",
        message: `required; ${listNames("contexts", contexts)}`,
      });
    }
    return undefined;
  }
  const context = contexts.get(name);
  if (context === undefined) {
    const place = overrides.context === undefined ? placeOf(currentContext) : { path: "context" };
    faults.push({ ...place, message: noneNamed("context", name, contexts) });
  }
  return context;
}

function findCluster(
  merged: MergedKubeconfig,
  overrides: KubeconfigOverrides,
  context: Context,
  faults: Faults,
): Located<KubeconfigCluster> | undefined {
  const isNamed = (overrides.cluster ?? context?.value.cluster) !== undefined;
  if (isNamed) return findPart(merged.clusters, "cluster", overrides, context, faults);
  if (overrides.server !== undefined) return { value: {}, path: "" };
  if (context !== undefined) faults.push({ ...placeOf(context, "cluster"), message: "required" });
  return undefined;
}

function findPart<T>(
  parts: ReadonlyMap<string, Located<T>>,
  key: "cluster" | "user",
  overrides: KubeconfigOverrides,
  context: Context,
  faults: Faults,
): Located<T> | undefined {
  const name = overrides[key] ?? context?.value[key];
  if (name === undefined) return undefined;
  const part = parts.get(name);
  if (part === undefined) {
    const place = overrides[key] === undefined && context !== undefined ? placeOf(context, key) : { path: key };
    faults.push({ ...place, message: noneNamed(key, name, parts) });
  }
  return part;
}

function withServer(cluster: Located<KubeconfigCluster>, server: string | undefined): Located<KubeconfigCluster> {
  if (server === undefined) return cluster;
  const { "tls-server-name": _old, ...rest } = cluster.value;
  return { ...cluster, value: { ...rest, server } };
}

function placeOf(located: Located<unknown> | undefined, key?: string): { path: string; file?: string } {
  const path = located?.path ?? "";
  return {
    path: key === undefined ? path : `${path}.${key}`,
    ...(located?.file === undefined ? {} : { file: located.file }),
  };
}

function noneNamed(what: string, name: string, there: ReadonlyMap<string, unknown>): string {
  return `no ${what} is named ${JSON.stringify(name)}; ${listNames(`${what}s`, there)}`;
}

function listNames(what: string, there: ReadonlyMap<string, unknown>): string {
  return there.size === 0 ? `there are no ${what}` : `${what} are ${[...there.keys()].sort().join(", ")}`;
}

function describeSource(merged: MergedKubeconfig, overrides: KubeconfigOverrides, context: Context): string {
  if (context === undefined) return "given by the program";
  const name = overrides.context ?? merged.currentContext?.value;
  return `context ${JSON.stringify(name)}${context.file === undefined ? "" : ` of ${context.file}`}`;
}
