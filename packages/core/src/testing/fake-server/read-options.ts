// Parses the options of a list or watch from its query, as a real server does: which objects, and at which resourceVersion. Invalid values are
// refused.
import {
  FieldSelectorError,
  fieldPath,
  forbiddenFault,
  isResourceVersion,
  type KubernetesObject,
  matchesFieldSelector,
  matchesSelector,
  newBadRequest,
  newInvalid,
  parseFieldSelector,
  parseSelector,
  type Query,
  queryValue,
  SelectorError,
} from "../../api/index.ts";

export interface ReadOptions {
  readonly matches: (object: KubernetesObject) => boolean;
  /** "" is the newest state, "0" any state that the server has. */
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

export function readOptionsOf(query: Query, namespace: string): ReadOptions {
  const resourceVersion = queryValue(query, "resourceVersion") ?? "";
  if (resourceVersion !== "" && resourceVersion !== "0" && !isResourceVersion(resourceVersion)) {
    throw newBadRequest(`invalid resource version ${JSON.stringify(resourceVersion)}`);
  }
  const match = queryValue(query, "resourceVersionMatch") ?? "";
  if (match !== "" && match !== "Exact" && match !== "NotOlderThan") {
    throw newBadRequest(`unknown resourceVersionMatch ${JSON.stringify(match)}`);
  }
  const sendInitialEvents = queryValue(query, "sendInitialEvents");
  const timeoutSeconds = queryValue(query, "timeoutSeconds");
  return {
    matches: matcherOf(query, namespace),
    resourceVersion,
    match,
    limit: Number(queryValue(query, "limit") ?? 0),
    continue: queryValue(query, "continue") ?? "",
    sendInitialEvents: sendInitialEvents === undefined ? undefined : sendInitialEvents === "true",
    allowBookmarks: queryValue(query, "allowWatchBookmarks") === "true",
    timeoutSeconds: timeoutSeconds === undefined ? undefined : Number(timeoutSeconds),
  };
}

/** Returns an Invalid error that names the option. */
export function forbidOption(name: string, detail: string): Error {
  const kind = { group: "meta.k8s.io", kind: "ListOptions" };
  return newInvalid(kind, "", { faults: [forbiddenFault(fieldPath(name), detail)] });
}

function matcherOf(query: Query, namespace: string): (object: KubernetesObject) => boolean {
  const labels = readSelector(() => parseSelector(queryValue(query, "labelSelector") ?? ""));
  const fields = readSelector(() => parseFieldSelector(queryValue(query, "fieldSelector") ?? ""));
  for (const { field } of fields) {
    if (field === "metadata.name" || field === "metadata.namespace") continue;
    throw newBadRequest(`field label not supported: ${field}`);
  }
  return ({ metadata }) =>
    (namespace === "" || metadata.namespace === namespace) &&
    matchesSelector(labels, metadata.labels) &&
    matchesFieldSelector(fields, (field) => (field === "metadata.name" ? metadata.name : metadata.namespace));
}

function readSelector<S>(parse: () => S): S {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError || error instanceof FieldSelectorError) throw newBadRequest(error.message);
    throw error;
  }
}
