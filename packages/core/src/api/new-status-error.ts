// Creates the errors of an API server, with Kubernetes' messages. Their `status` is ready to be sent:
// empty fields are absent, and `metadata` is `{}` as real servers send it.
import { type Fault, printFaultBody, printFaults } from "./field-errors.ts";
import type { Status, StatusCause, StatusDetails } from "./generated/types/meta/v1.ts";
import { type GroupKind, type GroupResource, printGroupKind, printGroupResource } from "./group-version.ts";
import { quote } from "./quote.ts";
import { StatusError, type StatusReason } from "./status-error.ts";

interface StatusParts {
  readonly code: number;
  /** Empty if unknown. */
  readonly reason: StatusReason | "";
  readonly message: string;
  readonly details?: StatusDetails;
}

export function newStatusError({ code, reason, message, details }: StatusParts): StatusError {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    ...(message === "" ? {} : { message }),
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
  return new StatusError(status);
}

/** Details without empty fields. */
export function toStatusDetails(parts: {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}): StatusDetails {
  return {
    ...(parts.name ? { name: parts.name } : {}),
    ...(parts.group ? { group: parts.group } : {}),
    ...(parts.kind ? { kind: parts.kind } : {}),
    ...(parts.causes && parts.causes.length > 0 ? { causes: parts.causes } : {}),
    ...(parts.retryAfterSeconds ? { retryAfterSeconds: parts.retryAfterSeconds } : {}),
  };
}

export function newNotFound(resource: GroupResource, name: string): StatusError {
  const message = `${printGroupResource(resource)} ${quote(name)} not found`;
  return newStatusError({ code: 404, reason: "NotFound", message, details: detailsOf(resource, name) });
}

export function newAlreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${printGroupResource(resource)} ${quote(name)} already exists`;
  return newStatusError({ code: 409, reason: "AlreadyExists", message, details: detailsOf(resource, name) });
}

/** No free name was found for `generateName`. */
export function newGenerateNameConflict(
  resource: GroupResource,
  name: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
): StatusError {
  const message = `${printGroupResource(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(resource, name), ...toStatusDetails({ retryAfterSeconds }) };
  return newStatusError({ code: 409, reason: "AlreadyExists", message, details });
}

export function newUnauthorized(message = "not authorized"): StatusError {
  return newStatusError({ code: 401, reason: "Unauthorized", message: message || "not authorized" });
}

export function newForbidden(
  resource: GroupResource,
  name: string,
  { detail }: { readonly detail: string },
): StatusError {
  const subject = printGroupResource(resource);
  const named = name === "" ? subject : `${subject} ${quote(name)}`;
  const message = subject === "" ? `forbidden: ${detail}` : `${named} is forbidden: ${detail}`;
  return newStatusError({ code: 403, reason: "Forbidden", message, details: detailsOf(resource, name) });
}

export function newConflict(
  resource: GroupResource,
  name: string,
  { detail }: { readonly detail: string },
): StatusError {
  const message = `Operation cannot be fulfilled on ${printGroupResource(resource)} ${quote(name)}: ${detail}`;
  return newStatusError({ code: 409, reason: "Conflict", message, details: detailsOf(resource, name) });
}

/** A conflict between field managers. */
export function newApplyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return newStatusError({ code: 409, reason: "Conflict", message, details: toStatusDetails({ causes }) });
}

export function newGone(message: string): StatusError {
  return newStatusError({ code: 410, reason: "Gone", message });
}

/** The resource version or continue token is too old. */
export function newExpired(message: string): StatusError {
  return newStatusError({ code: 410, reason: "Expired", message });
}

export function newInvalid(
  kind: GroupKind,
  name: string,
  { faults }: { readonly faults: readonly Fault[] },
): StatusError {
  const subject = `${printGroupKind(kind)} ${quote(name)} is invalid`;
  const causes = faults.map((fault) => ({ reason: fault.type, message: printFaultBody(fault), field: fault.field }));
  return newStatusError({
    code: 422,
    reason: "Invalid",
    message: faults.length === 0 ? subject : `${subject}: ${printFaults(faults)}`,
    details: toStatusDetails({ group: kind.group, kind: kind.kind, name, causes }),
  });
}

export function newBadRequest(message: string): StatusError {
  return newStatusError({ code: 400, reason: "BadRequest", message });
}

export function newTooManyRequests(
  message: string,
  { retryAfterSeconds = 0 }: { readonly retryAfterSeconds?: number } = {},
): StatusError {
  const details = toStatusDetails({ retryAfterSeconds });
  return newStatusError({ code: 429, reason: "TooManyRequests", message, details });
}

export function newServiceUnavailable(message: string): StatusError {
  return newStatusError({ code: 503, reason: "ServiceUnavailable", message });
}

export function newMethodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quote(printGroupResource(resource))}`;
  return newStatusError({ code: 405, reason: "MethodNotAllowed", message, details: detailsOf(resource, "") });
}

export function newServerTimeout(
  resource: GroupResource,
  operation: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
): StatusError {
  const message = `The ${operation} operation against ${printGroupResource(resource)} could not be completed at this time, please try again.`;
  const details = { ...detailsOf(resource, operation), ...toStatusDetails({ retryAfterSeconds }) };
  return newStatusError({ code: 500, reason: "ServerTimeout", message, details });
}

export function newInternalError(error: Error): StatusError {
  const details = toStatusDetails({ causes: [{ message: error.message }] });
  const message = `Internal error occurred: ${error.message}`;
  return newStatusError({ code: 500, reason: "InternalError", message, details });
}

export function newTimeout(
  message: string,
  { retryAfterSeconds = 0 }: { readonly retryAfterSeconds?: number } = {},
): StatusError {
  const details = toStatusDetails({ retryAfterSeconds });
  return newStatusError({ code: 504, reason: "Timeout", message: `Timeout: ${message}`, details });
}

/** A list or watch requested a resourceVersion that this server has not reached. */
export function newTooLargeResourceVersion(
  asked: string,
  current: string,
  { retryAfterSeconds }: { readonly retryAfterSeconds: number },
): StatusError {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return newStatusError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: toStatusDetails({ causes, retryAfterSeconds }),
  });
}

export function newRequestEntityTooLarge(message: string): StatusError {
  const text = `Request entity too large: ${message}`;
  return newStatusError({ code: 413, reason: "RequestEntityTooLarge", message: text });
}

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return toStatusDetails({ name, group: resource.group, kind: resource.resource });
}
