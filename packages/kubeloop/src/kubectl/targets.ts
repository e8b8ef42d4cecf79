// What the arguments of a command lead to on the server: lists of types, and objects by name, each in its namespace.
import type { Resource } from "@kubeloop/core/api";
import { findType, findTypes } from "./find-types.ts";
import { KubectlError } from "./kubectl-error.ts";
import type { OpenCluster } from "./open-cluster.ts";
import type { AskedObjects } from "./resource-args.ts";

export interface Place {
  readonly resource: Resource;
  /** Undefined for resources outside of namespaces, and for all namespaces. */
  readonly namespace: string | undefined;
}

export interface NamedPlace extends Place {
  readonly name: string;
}

/** How objects are selected other than by name. */
export const selectionFlags = {
  "all-namespaces": { type: "switch", short: "A" },
  selector: { type: "text", short: "l" },
  "field-selector": { type: "text" },
  all: { type: "switch" },
} as const;

export interface Selection {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly allNamespaces: boolean;
}

/** Of those flags, as they were given. */
export interface SelectionValues {
  readonly selector?: string | undefined;
  readonly "field-selector"?: string | undefined;
  readonly "all-namespaces"?: boolean | undefined;
}

/** An empty selector selects nothing in particular. */
export function selectionOf(flags: SelectionValues): Selection {
  return {
    labelSelector: flags.selector || undefined,
    fieldSelector: flags["field-selector"] || undefined,
    allNamespaces: flags["all-namespaces"] === true,
  };
}

export type Targets =
  | { readonly are: "lists"; readonly lists: readonly Place[] }
  | { readonly are: "objects"; readonly objects: readonly NamedPlace[] };

export async function findTargets(
  asked: Exclude<AskedObjects, { readonly by: "nothing" }>,
  selection: Selection,
  cluster: OpenCluster,
  signal: AbortSignal,
): Promise<Targets> {
  const { client, namespace } = cluster;
  const { labelSelector, fieldSelector, allNamespaces } = selection;
  if (asked.by === "type") {
    const types = await findTypes(client, asked.types, signal);
    return { are: "lists", lists: types.map((resource) => ({ resource, namespace: namespaceFor(resource) })) };
  }
  if (labelSelector !== undefined || fieldSelector !== undefined)
    throw new KubectlError("name cannot be provided when a selector is specified");
  const objects: NamedPlace[] = [];
  for (const { type, name } of asked.objects) {
    const resource = await findType(client, type, signal);
    if (resource.namespaced && allNamespaces)
      throw new KubectlError("a resource cannot be retrieved by name across all namespaces");
    objects.push({ resource, namespace: namespaceFor(resource), name });
  }
  return { are: "objects", objects };

  function namespaceFor(resource: Resource): string | undefined {
    return resource.namespaced && !allNamespaces ? namespace : undefined;
  }
}

/** The query of a selection, without what was not given. */
export function selectorsOf({ labelSelector, fieldSelector }: Selection) {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}
