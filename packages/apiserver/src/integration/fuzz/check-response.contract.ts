// What every answer must be, whatever was asked: an answer that can be read, and a failure that is a Status. Faults are sentences.
import { type ApiResponse, headerValue } from "@kubeloop/core/api";
import { parse } from "yaml";
import type { Protobuf } from "../../wire/protobuf/index.ts";

export interface ReadResponse {
  readonly response: ApiResponse;
  /** Undefined where it carried values. */
  readonly bytes: Uint8Array | undefined;
  /** The one value it carried instead of bytes. */
  readonly value: unknown;
  /** A watch, which has no end. */
  readonly isStream: boolean;
}

/** What a real server also answers with 500 or 503, and no other. */
export const knownFailures: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /^resourceVersion: Invalid value: .*(?:invalid syntax|value out of range)$/s,
    "a get or watch at a version that is no number",
  ],
  [/^strconv\.ParseUint: parsing .*$/s, "an update at a version that is no number"],
  [/^resourceVersion should not be set on objects to be created$/, "a create with a version"],
  [/unknown patch type: /, "a strategic merge patch with a directive that is none"],
  [/unable to find api field in /, "a strategic merge patch of a field that is none"],
  [/cannot merge lists of objects without a merge key$/, "a strategic merge patch of a list that has no keys"],
  [/^expected a (?:\[\]|map\[string\])interface \{\}, but received a /, "an order of no list, or of no objects"],
  [/^The order in patch list:\n.*\n doesn't match \$setElementOrder list:\n/s, "an order other than the patch's"],
  [/^list element types are not identical: /, "a list no patch can merge"],
  [/^merging lists cannot yet be specified in the patch$/, "a directive that lists do not know"],
  [/^no (?:endpoints available for service|service port) /, "a service with nobody behind it"],
  [/^map: .* does not contain declared merge key: \w+$/s, "an element without its key"],
  [/^\[?target\./, "a binding to what is no node"],
  [/^ephemeral container .* is not allowed because service account /s, "a debugger with a secret of others"],
  [/^This pod has more than one PodDisruptionBudget/, "an eviction that several budgets speak of"],
  [/^Internal error occurred: failed to allocate /, "an address or a port that cannot be had"],
  [/^Internal error occurred: (?:nodes .* not found|no endpoints available for .*)$/s, "what only a node could answer"],
];

const mostOfHeader = 12 * 1024;

/** Empty when all is well. */
export function faultsOf(read: ReadResponse, protobuf: Protobuf): string[] {
  const { response, bytes, value, isStream } = read;
  const { status, headers } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599) return [`status ${status} is none`];
  const type = headerValue(headers, "content-type") ?? "";
  for (const [name, held] of Object.entries(headers)) {
    const values = [held].flat();
    if (values.some((text) => /[\p{Cc}\p{Cs}]/u.test(text))) return [`header ${name} cannot be sent`];
    if (values.join("").length > mostOfHeader) return [`header ${name} is too long for most clients`];
  }
  if (bytes === undefined) return status < 400 || value === undefined ? [] : statusFaults(value, status);
  // Nothing at all: a log that has not begun, a document that has not changed, has moved, or is none of OpenAPI's.
  if (type === "") return [204, 301, 304, 404].includes(status) && bytes.length === 0 ? [] : ["no content type"];
  if (isStream) return [];
  try {
    if (type.startsWith("text/plain")) return status < 400 ? [] : plainFaults(bytes, status);
    if (type.startsWith("application/vnd.kubernetes.protobuf")) {
      const { value: decoded } = protobuf.decodeEnvelope(bytes);
      return status < 400 ? [] : statusFaults(decoded, status);
    }
    if (type.startsWith("application/yaml")) {
      return status < 400 ? [] : statusFaults(parse(Buffer.from(bytes).toString("utf8")), status);
    }
    if (type.startsWith("application/json")) {
      const decoded: unknown = status === 304 ? undefined : JSON.parse(Buffer.from(bytes).toString("utf8"));
      return status < 400 ? [] : statusFaults(decoded, status);
    }
  } catch (error) {
    return [`the answer cannot be read as ${type}: ${String(error)}`];
  }
  return [`content type ${type} with status ${status}`];
}

const plainTexts: readonly RegExp[] = [/^404 page not found\n$/];

function plainFaults(bytes: Uint8Array, status: number): string[] {
  const text = Buffer.from(bytes).toString("utf8");
  return plainTexts.some((known) => known.test(text))
    ? []
    : [`plain text with status ${status}: ${text.slice(0, 200)}`];
}

function statusFaults(value: unknown, code: number): string[] {
  if (typeof value !== "object" || value === null) return ["a failure without a Status"];
  const body = value as Readonly<Record<string, unknown>>;
  const faults: string[] = [];
  const expect = (field: string, expected: unknown) => {
    if (body[field] !== expected) faults.push(`${field} of the Status is ${JSON.stringify(body[field])}`);
  };
  expect("kind", "Status");
  expect("apiVersion", "v1");
  expect("status", "Failure");
  expect("code", code);
  if (typeof body["metadata"] !== "object") faults.push("the Status has no metadata");
  const { message, reason } = body;
  if (typeof message !== "string" || message === "") faults.push("the Status has no message");
  if (reason !== undefined && typeof reason !== "string") faults.push("the reason is no text");
  const isKnown = code < 500 || code === 504 || knownFailures.some(([pattern]) => pattern.test(String(message)));
  if (!isKnown) faults.push(`a failure of the server's own: ${code} ${String(message).slice(0, 300)}`);
  return faults;
}
