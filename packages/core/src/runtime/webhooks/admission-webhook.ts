// An admission webhook consists of data for its manifest, and a function from a request to an answer. `defineDefaulter` and `defineValidator`
// create webhooks for the objects of one resource.
//
//   const defaults = defineDefaulter({ name: "foos.defaults.example.com", resource: foos, default: (foo) => ({ ...foo, ... }) });
//   const rules = defineValidator({ name: "foos.rules.example.com", resource: foos, create: (foo) => findFaults(foo) });
//
// Objects are frozen: a defaulter returns a new object, and the patch contains only the differences. A validator returns what is wrong: a
// sentence (403), faults (422, with a cause for each), or nothing. If the function throws a StatusError, the request is refused with that
// status; any other error is a bug of the webhook, and the request is refused with 500.
import {
  type admissionregistrationv1,
  createJsonPatch,
  decodeObject,
  type Fault,
  findStatusError,
  type JsonPatch,
  type KubernetesObject,
  type metav1,
  newBadRequest,
  newInvalid,
  newStatusError,
  printGroupVersionKind,
  type Resource,
  validateDns1123Subdomain,
} from "../../api/index.ts";
import { deepFreeze, isAborted, KubeloopError, toError } from "../../base/index.ts";
import type { AdmissionOperation, AdmissionRequest } from "./admission-review.ts";

type Operation = Exclude<AdmissionOperation, "CONNECT">;

/** The common options of all admission webhooks; they are written to the manifest. */
export interface AdmissionParts<T extends KubernetesObject> {
  /** A domain with at least three segments. The API server shows it to users whose request is refused. */
  readonly name: string;
  readonly resource: Resource<T>;
  /** Unless given, derived from group, version and kind as in controller-runtime. */
  readonly path?: string;
  /** Subresources that are reviewed in addition to the object itself, or, with `only`, instead of it. */
  readonly subresources?: readonly string[] | { readonly only: readonly string[] };
  /** What the API server does if it cannot reach the webhook; "Fail" unless given. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** "None" unless given. The API server sends dry-run requests to the webhook, too. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** How long the API server waits for the answer; 10 unless given. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: metav1.LabelSelector;
  readonly objectSelector?: metav1.LabelSelector;
  readonly matchConditions?: readonly admissionregistrationv1.MatchCondition[];
}

export interface AdmissionContext {
  readonly request: AdmissionRequest;
  /** The warning is shown to the user whether the request is allowed or refused. One line. */
  warn(warning: string): void;
  /** The annotation is written to the audit log, with the webhook's name as a prefix. */
  annotate(key: string, value: string): void;
}

type Answer<A> = A | Promise<A>;

export interface DefaulterParts<T extends KubernetesObject> extends AdmissionParts<T> {
  /** CREATE and UPDATE unless given. */
  readonly operations?: readonly ("CREATE" | "UPDATE")[];
  /** Whether the API server calls the webhook again if a later webhook has changed the object; "Never" unless given. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  /** Returns the object with defaults; undefined leaves the object unchanged. */
  default(object: T, context: AdmissionContext, signal: AbortSignal): Answer<T | undefined>;
}

/** What is wrong: a sentence, or faults. Undefined, or an empty list, allows the request. */
export type Objection = string | readonly Fault[] | undefined;

/** The webhook is registered for the operations whose functions are given. */
export interface ValidatorParts<T extends KubernetesObject> extends AdmissionParts<T> {
  create?(object: T, context: AdmissionContext, signal: AbortSignal): Answer<Objection>;
  update?(before: T, after: T, context: AdmissionContext, signal: AbortSignal): Answer<Objection>;
  delete?(object: T, context: AdmissionContext, signal: AbortSignal): Answer<Objection>;
}

export type AdmissionAnswer =
  | { readonly isAllowed: true; readonly patch: JsonPatch }
  | {
      readonly isAllowed: false;
      readonly status: metav1.Status;
      /** Set if the request was refused because of a bug of the webhook, not because of an objection. */
      readonly panic?: Error;
    };

export interface AdmissionWebhook {
  readonly kind: "mutating" | "validating";
  readonly name: string;
  readonly path: string;
  readonly operations: readonly Operation[];
  readonly parts: AdmissionParts<KubernetesObject> & Pick<Partial<DefaulterParts<never>>, "reinvocationPolicy">;
  /** Rejects only with the signal's reason. */
  review(context: AdmissionContext, signal: AbortSignal): Promise<AdmissionAnswer>;
}

const allowed: AdmissionAnswer = { isAllowed: true, patch: [] };

export function defineDefaulter<T extends KubernetesObject>(parts: DefaulterParts<T>): AdmissionWebhook {
  const { operations = ["CREATE", "UPDATE"] } = parts;
  return newWebhook("mutating", parts, operations, async (context, signal) => {
    const { operation, object } = context.request;
    if (operation === "DELETE" || operation === "CONNECT") return allowed;
    const before = decode(parts.resource, object);
    const after = await parts.default(before, context, signal);
    return after === undefined ? allowed : { isAllowed: true, patch: createJsonPatch(before, after) };
  });
}

export function defineValidator<T extends KubernetesObject>(parts: ValidatorParts<T>): AdmissionWebhook {
  const operations = (["create", "update", "delete"] as const)
    .filter((operation) => parts[operation] !== undefined)
    .map((operation) => operation.toUpperCase() as Operation);
  return newWebhook("validating", parts, operations, async (context, signal) => {
    const { request } = context;
    const objection = await ask(parts, context, signal);
    if (objection === undefined || objection.length === 0) return allowed;
    if (typeof objection === "string") return refused(403, "Forbidden", objection);
    const { group, kind } = request.kind;
    return { isAllowed: false, status: newInvalid({ group, kind }, request.name, { faults: objection }).status };
  });
}

async function ask<T extends KubernetesObject>(
  parts: ValidatorParts<T>,
  context: AdmissionContext,
  signal: AbortSignal,
): Promise<Objection> {
  const { resource } = parts;
  const { operation, object, oldObject } = context.request;
  switch (operation) {
    case "CREATE":
      return parts.create && (await parts.create(decode(resource, object), context, signal));
    case "UPDATE":
      return (
        parts.update && (await parts.update(decode(resource, oldObject), decode(resource, object), context, signal))
      );
    case "DELETE":
      return parts.delete && (await parts.delete(decode(resource, oldObject), context, signal));
    default:
      return undefined;
  }
}

function newWebhook<T extends KubernetesObject>(
  kind: AdmissionWebhook["kind"],
  parts: AdmissionParts<T>,
  operations: readonly Operation[],
  review: AdmissionWebhook["review"],
): AdmissionWebhook {
  const { name, resource } = parts;
  checkName(name);
  const verb = kind === "mutating" ? "mutate" : "validate";
  const { group, version } = resource;
  const path = parts.path ?? `/${verb}-${group.replaceAll(".", "-")}-${version}-${resource.kind.toLowerCase()}`;
  if (!path.startsWith("/")) throw misuse(`the path of webhook ${name} must begin with a slash`);
  return {
    kind,
    name,
    path,
    operations,
    parts,
    async review(context, signal) {
      try {
        checkKind(resource, context.request);
        return await review(context, signal);
      } catch (error) {
        if (isAborted(error, signal)) throw error;
        const known = findStatusError(error);
        if (known !== undefined) return { isAllowed: false, status: known.status };
        const panic = toError(error);
        return { ...refused(500, "InternalError", `panic: ${panic.message} [recovered]`), panic };
      }
    },
  };
}

/** The API server sends only the kinds that the manifest names. Any other kind means that the manifest does not match this webhook. */
function checkKind({ group, version, kind }: Resource, request: AdmissionRequest): void {
  const { kind: sent, subResource } = request;
  if (subResource !== "" || (sent.group === group && sent.version === version && sent.kind === kind)) return;
  const [ours, theirs] = [{ group, version, kind }, sent].map((each) => printGroupVersionKind(each));
  throw newBadRequest(`this webhook is for ${ours}, not for ${theirs}`);
}

function decode<T extends KubernetesObject>(resource: Resource<T>, json: unknown): T {
  const { apiVersion, kind } = resource;
  try {
    return deepFreeze(decodeObject(json, { apiVersion, kind })) as T;
  } catch (error) {
    throw newBadRequest(`the object cannot be read: ${toError(error).message}`);
  }
}

function refused(code: number, reason: "Forbidden" | "InternalError", message: string) {
  return { isAllowed: false, status: newStatusError({ code, reason, message }).status } as const;
}

function checkName(name: string): void {
  const [fault] = validateDns1123Subdomain(name);
  if (fault !== undefined) throw misuse(`webhook name ${name}: ${fault}`);
  if (name.split(".").length < 3) {
    throw misuse(`webhook name ${name}: should be a domain with at least three segments separated by dots`);
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
