// What a request to a kubelet's port asks for, and which rights on nodes it takes. Pure. Paths, names in the query and subresources are the kubelet's.
import type { ApiRequest, Query } from "@kubeloop/core/api";

export type KubeletRequest =
  | { readonly of: "health" }
  | { readonly of: "pods" }
  | ({ readonly of: "pod" } & PodRequest)
  | { readonly of: "nothing" };

export interface PodRequest {
  /** As the API calls it: log, exec, attach, portforward. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** If the path has one, another pod of that name is not meant. */
  readonly uid: string | undefined;
  /** The query as the API's own subresource has it. */
  readonly query: Query;
}

/** By the first part of the path: the subresource, and whether a container follows. */
const podPaths: Readonly<Record<string, readonly [subresource: string, hasContainer: boolean]>> = {
  containerLogs: ["log", true],
  exec: ["exec", true],
  attach: ["attach", true],
  portForward: ["portforward", false],
};

/** What the API calls otherwise in the query of exec and attach. */
const apiNames: ReadonlyMap<string, string> = new Map([
  ["input", "stdin"],
  ["output", "stdout"],
  ["error", "stderr"],
]);

export function parseKubeletRequest({ path, query }: Pick<ApiRequest, "path" | "query">): KubeletRequest {
  const [, first = "", ...parts] = path.replace(/\/$/, "").split("/").map(decode);
  if (first === "healthz" && parts.length <= 1) return { of: "health" };
  if (first === "pods" && parts.length === 0) return { of: "pods" };
  const [subresource, hasContainer] = Object.hasOwn(podPaths, first) ? (podPaths[first] ?? []) : [];
  if (subresource === undefined || hasContainer === undefined) return { of: "nothing" };
  const container = hasContainer ? parts.pop() : undefined;
  const [namespace = "", name = "", uid] = parts;
  const hasUid = parts.length === 3 && subresource !== "log";
  if (name === "" || container === "" || !(parts.length === 2 || hasUid)) return { of: "nothing" };
  const translated = query.map(([key, value]) => [apiNames.get(key) ?? key, value] as const);
  // It is the path that says which container is meant.
  const rest = translated.filter(([key]) => key !== "container");
  const all = container === undefined ? rest : [...rest, ["container", container] as const];
  return { of: "pod", subresource, namespace, name, uid, query: all };
}

/** By which methods it may be asked for. Another one would ask for another right. */
export function methodsOf(asked: KubeletRequest): readonly string[] {
  return asked.of === "pod" && asked.subresource !== "log" ? ["GET", "POST"] : ["GET"];
}

/** A verb on subresources of a node; one of these is enough. */
export interface KubeletAccess {
  readonly verb: string;
  readonly subresources: readonly string[];
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

export function accessOf({ method, path }: Pick<ApiRequest, "method" | "path">): KubeletAccess {
  const fine = [
    ["/pods", "pods"],
    ["/healthz", "healthz"],
    ["/configz", "configz"],
    ["/runningpods", "pods"],
  ] as const;
  const coarse = [
    ["/stats", "stats"],
    ["/metrics", "metrics"],
    ["/logs", "log"],
    ["/checkpoint", "checkpoint"],
    ["/statusz", "statusz"],
    ["/flagz", "configz"],
  ] as const;
  const found = (paths: readonly (readonly [string, string])[]) =>
    paths.filter(([folder]) => isBelow(path, folder)).map(([, subresource]) => subresource);
  const special = found(coarse);
  return { verb: verbs[method] ?? "", subresources: [...found(fine), ...(special.length > 0 ? special : ["proxy"])] };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
