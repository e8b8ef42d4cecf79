// Builds the path of a resource's objects, as a pure function. A name that could lead to another path (a slash, `..`, an
// empty one) is rejected here.
import { type Resource, validatePathSegmentName } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";

export interface ResourceTarget {
  readonly resource: Resource;
  /** Undefined for cluster-scoped resources, and for lists and watches over all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  /** Whether the request writes: objects of a namespaced resource are created and deleted within one namespace. */
  readonly isWritten?: boolean;
}

export function resourcePath({ resource, namespace, name, subresource, isWritten }: ResourceTarget): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (namespace !== undefined && !resource.namespaced) {
    throw invalidRequest(`${resource.plural} are not namespaced, but namespace "${namespace}" was given`);
  }
  if (namespace === undefined && resource.namespaced && (name !== undefined || isWritten === true)) {
    const aim = name === undefined ? "write there" : `reach "${name}"`;
    throw invalidRequest(`${resource.plural} are namespaced: a namespace must be given to ${aim}`);
  }
  return [
    root,
    ...(namespace === undefined ? [] : ["namespaces", segment("namespace", namespace)]),
    resource.plural,
    ...(name === undefined ? [] : [segment("name", name)]),
    ...(subresource === undefined ? [] : subresource.split("/").map((part) => segment("subresource", part))),
  ].join("/");
}

function segment(what: string, text: string): string {
  const faults = text === "" ? ["must not be empty"] : validatePathSegmentName(text);
  if (faults.length > 0) throw invalidRequest(`${what} "${text}" ${faults.join(", ")}`);
  return encodeURIComponent(text);
}

export function invalidRequest(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "BadRequest", retry: "never" });
}
