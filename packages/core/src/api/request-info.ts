// Derives verb, resource and name from a request's method, path and query: the terms of authorization, admission,
// metrics and fault rules. The rules are kube-apiserver's RequestInfo.
import { FieldSelectorError, parseFieldSelector, requiredFieldValue } from "./field-selector.ts";
import { type ApiRequest, queryValue } from "./transport.ts";
import { validatePathSegmentName } from "./validation.ts";

export type RequestInfo = ResourceRequestInfo | PathRequestInfo;

/** A request for a path that is not a resource: "/healthz", "/apis", "/api/v1". */
export interface PathRequestInfo {
  readonly isResourceRequest: false;
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export interface ResourceRequestInfo {
  readonly isResourceRequest: true;
  /** get, list, watch, create, update, patch, delete or deletecollection; empty for other methods. */
  readonly verb: string;
  readonly path: string;
  /** "api" or "apis". */
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped resources and for all namespaces. For a namespace object, its own name. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** Also taken from a field selector on `metadata.name`. */
  readonly name: string;
  /** Resource, name, subresource and the rest of the path. */
  readonly parts: readonly string[];
}

const verbsByMethod = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);
const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);
const verbsInPath: ReadonlySet<string> = new Set(["proxy", "watch"]);

export function requestInfoOf(request: Pick<ApiRequest, "method" | "path" | "query">): RequestInfo {
  const path = decodePath(request.path);
  const segments = trimSlashes(path).split("/");
  const [prefix = "", ...rest] = segments;
  const hasGroup = prefix === "apis";
  const isResourceRequest = (prefix === "api" && segments.length >= 3) || (hasGroup && segments.length >= 4);
  if (!isResourceRequest) return { isResourceRequest, verb: request.method.toLowerCase(), path };

  const group = hasGroup ? (rest.shift() ?? "") : "";
  const version = rest.shift() ?? "";
  const verbInPath = rest.length > 1 && verbsInPath.has(rest[0] ?? "") ? rest.shift() : undefined;
  const namespace = rest[0] === "namespaces" ? (rest[1] ?? "") : "";
  const isInNamespace = rest[0] === "namespaces" && rest.length > 2 && !namespaceSubresources.has(rest[2] ?? "");
  const parts = isInNamespace ? rest.slice(2) : rest;
  const [resource = "", nameInPath = "", third = ""] = parts;
  const plainVerb = verbInPath ?? verbsByMethod.get(request.method) ?? "";
  const isCollection = nameInPath === "";
  return {
    isResourceRequest,
    verb: isCollection ? collectionVerb(plainVerb, request) : plainVerb,
    path,
    prefix,
    group,
    version,
    namespace,
    resource,
    subresource: verbInPath === "proxy" ? "" : third,
    name: isCollection && plainVerb === "get" ? selectedName(request) : nameInPath,
    parts,
  };
}

function collectionVerb(verb: string, request: Pick<ApiRequest, "query">): string {
  if (verb === "get") return isWatch(request) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

function isWatch({ query }: Pick<ApiRequest, "query">): boolean {
  const watch = queryValue(query, "watch")?.toLowerCase();
  return watch !== undefined && watch !== "false" && watch !== "0";
}

/** Returns the name of the only object that a list or watch can select. */
function selectedName({ query }: Pick<ApiRequest, "query">): string {
  const text = queryValue(query, "fieldSelector");
  if (text === undefined) return "";
  try {
    const name = requiredFieldValue(parseFieldSelector(text), "metadata.name") ?? "";
    return validatePathSegmentName(name).length === 0 ? name : "";
  } catch (error) {
    // Invalid selectors are reported by the code that evaluates them.
    if (error instanceof FieldSelectorError) return "";
    throw error;
  }
}

function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Written out, because a regular expression would take quadratic time on a long run of slashes. */
function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  return path.slice(start, end);
}
