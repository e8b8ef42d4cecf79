// From a request to the verb that answers it. What is not served gets the real server's words: an unknown path in a group that exists is
// a Status, an unknown group plain text.
import {
  type ApiRequest,
  headerValue,
  newBadRequest,
  newGenericServerResponse,
  newNotFound,
  type ResourceRequestInfo,
  type Subresource,
} from "@kubeloop/core/api";
import type { RequestUser } from "../../kinds/kind-rules.ts";
import { RequestYieldBudget } from "../../storage/request-yield-budget.ts";
import type { Answer } from "../../wire/answer.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import { type ServerParts, Warnings } from "../registry/write-context.ts";
import { getComponentStatus, listComponentStatuses } from "../verbs/component-statuses.ts";
import { create } from "../verbs/create.ts";
import { remove, removeCollection } from "../verbs/delete.ts";
import { get } from "../verbs/get.ts";
import { list } from "../verbs/list.ts";
import { patch } from "../verbs/patch.ts";
import type { RequestScope } from "../verbs/request-scope.ts";
import { reviewVerbs } from "../verbs/reviews.ts";
import { bindPod } from "../verbs/subresources/bind-pod.ts";
import { update } from "../verbs/update.ts";
import { watch } from "../verbs/watch.ts";
import { answerSubresource, notAllowed } from "./subresources.ts";

export type Verb = (scope: RequestScope) => Promise<Answer>;

const objectVerbs: Readonly<Record<string, Verb>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

export type Route =
  | { readonly kind: "resource"; readonly scope: RequestScope; readonly verb: Verb }
  /** Plain text 404: nobody knows this group. */
  | { readonly kind: "unknown" };

export function routeOf(
  server: ServerParts,
  request: ApiRequest,
  info: ResourceRequestInfo,
  { user, signal }: { readonly user: RequestUser; readonly signal: AbortSignal },
): Route {
  const { group, version, resource: plural } = info;
  // Routers look at a path as it was written, whoever told its parts.
  if (request.path.startsWith("//")) return { kind: "unknown" };
  const served = server.catalogue.find({ group, version, plural });
  if (served === undefined) {
    if (!server.catalogue.hasRouter(group)) return { kind: "unknown" };
    throw notServed();
  }
  const { isUnstructured } = served.codec;
  if (!isServedPath(info, served)) {
    if (isUnstructured) return { kind: "unknown" };
    throw notServed();
  }
  const subresource = subresourceOf(info, served);
  if (info.subresource !== "" && subresource === undefined) {
    throw isUnstructured ? newNotFound(served.groupResource, info.name) : notServed();
  }
  const yieldBudget = new RequestYieldBudget(server.clock, signal);
  const { namespace, name } = info;
  const userAgent = headerValue(request.headers, "user-agent") ?? "";
  const about = { served, subresource, namespace, name, user, userAgent };
  const scope = { server, request, info, ...about, warnings: new Warnings(), signal, yieldBudget };
  if (subresource !== undefined) {
    return { kind: "resource", scope, verb: (each) => answerSubresource(each, subresource) };
  }
  const verb = ownVerb(info.verb, served) ?? objectVerbs[info.verb];
  const isKnown = verb !== undefined && served.resource.verbs.includes(info.verb) && isRightPath(info, served);
  if (isUnstructured && ["update", "patch"].includes(info.verb) && info.name === "") {
    throw newBadRequest("name must be provided");
  }
  if (!isKnown || isMisused(request, info)) throw notAllowed(served, info.verb);
  return { kind: "resource", scope, verb };
}

/** Of kinds that are never stored. */
function ownVerb(verb: string, { collection }: ServedResource): Verb | undefined {
  if (verb === "create") return collection === "bindings" ? bindPod : reviewVerbs[collection];
  if (collection !== "componentstatuses") return undefined;
  return verb === "get" ? getComponentStatus : listComponentStatuses;
}

const isInNamespace = ({ namespace, resource }: ResourceRequestInfo) => namespace !== "" && resource !== "namespaces";

/** Whether anything at all is to be had at this path, by whatever method. */
function isServedPath(info: ResourceRequestInfo, { resource }: ServedResource): boolean {
  const { verb, namespace, parts, path } = info;
  if (verb === "proxy") return false;
  // The old way to watch is there only for what can be watched.
  if (verb === "watch" && isWatchPath(path) && !resource.verbs.includes("watch")) return false;
  if (!resource.namespaced) return !isInNamespace(info) && !isBelowItself(info);
  // What lives in a namespace has no name outside of one; an empty one is told apart by whoever looks for it.
  return namespace !== "" || parts.length < 2 || path.includes("/namespaces/");
}

/** `namespaces/a/namespaces`: a namespace is in no other. */
const isBelowItself = ({ resource, path }: ResourceRequestInfo) =>
  resource === "namespaces" && path.split("/").filter((part) => part === "namespaces").length > 1;

const isWatchPath = (path: string) => /^\/+(?:api\/+[^/]+|apis\/+[^/]+\/+[^/]+)\/+watch\//.test(path);

/** A method that is not the verb's: nobody asks for headers alone, and watching is reading. */
function isMisused({ method }: ApiRequest, { verb }: ResourceRequestInfo): boolean {
  return method === "HEAD" || (verb === "watch" && method !== "GET");
}

/** Collections are made and deleted from, objects are changed by name; over all namespaces one can only look. */
function isRightPath(info: ResourceRequestInfo, { resource }: ServedResource): boolean {
  const { verb, parts } = info;
  const hasName = parts.length > 1;
  if (verb === "list" || verb === "watch") return true;
  if (resource.namespaced && !isInNamespace(info) && !hasName) return false;
  return hasName === ["get", "update", "patch", "delete"].includes(verb);
}

function subresourceOf(info: ResourceRequestInfo, { resource }: ServedResource): Subresource | undefined {
  return resource.subresources.find(({ name }) => name === info.subresource);
}

const notServed = () => newGenericServerResponse({ code: 404, method: "" });
