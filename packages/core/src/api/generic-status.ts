// The error for an HTTP response whose body is not a Status: a proxy's page, an empty body. The reason follows from the code.
import { type GroupResource, printGroupResource } from "./group-version.ts";
import { newStatusError, toStatusDetails } from "./new-status-error.ts";
import { quote } from "./quote.ts";
import type { StatusError, StatusReason } from "./status-error.ts";

export interface GenericResponse {
  readonly code: number;
  /** The HTTP method. */
  readonly method: string;
  readonly resource?: GroupResource;
  readonly name?: string;
  /** The body that the server sent instead of a Status. */
  readonly serverMessage?: string;
  readonly retryAfterSeconds?: number;
  /** Whether the body was not understood; then it is kept as a cause. */
  readonly isUnexpected?: boolean;
}

type Meaning = readonly [reason: StatusReason, message: string];

const meanings = new Map<number, Meaning>([
  [400, ["BadRequest", "the server rejected our request for an unknown reason"]],
  [401, ["Unauthorized", "the server has asked for the client to provide credentials"]],
  [404, ["NotFound", "the server could not find the requested resource"]],
  [405, ["MethodNotAllowed", "the server does not allow this method on the requested resource"]],
  [409, ["Conflict", "the server reported a conflict"]],
  [422, ["Invalid", "the server rejected our request due to an error in our request"]],
  [429, ["TooManyRequests", "the server has received too many requests and has asked us to try again later"]],
  [503, ["ServiceUnavailable", "the server is currently unable to handle the request"]],
  [
    504,
    [
      "Timeout",
      "the server was unable to return a response in the time allotted, but may still be processing the request",
    ],
  ],
]);

export function newGenericServerResponse(response: GenericResponse): StatusError {
  const { code, method, name = "", serverMessage = "" } = response;
  const resource = response.resource ?? { group: "", resource: "" };
  const [reason, text] = meaningOf(code, method, serverMessage);
  const subject = printGroupResource(resource);
  const target = [method.toLowerCase(), subject, ...(name === "" ? [] : [name])].join(" ");
  return newStatusError({
    code,
    reason,
    message: subject === "" ? text : `${text} (${target})`,
    details: toStatusDetails({
      name,
      group: resource.group,
      kind: resource.resource,
      causes: response.isUnexpected ? [{ reason: "UnexpectedServerResponse", message: serverMessage }] : [],
      retryAfterSeconds: response.retryAfterSeconds ?? 0,
    }),
  });
}

function meaningOf(code: number, method: string, serverMessage: string): readonly [StatusReason | "", string] {
  if (code === 409 && method === "POST") return ["AlreadyExists", "the server reported a conflict"];
  if (code === 403) return ["Forbidden", serverMessage];
  if (code === 415) return ["UnsupportedMediaType", serverMessage];
  if (code === 406) {
    const hasServerMessage = serverMessage !== "" && serverMessage !== "unknown";
    const withoutMessage = "the server was unable to respond with a content type that the client supports";
    return ["NotAcceptable", hasServerMessage ? serverMessage : withoutMessage];
  }
  const meaning = meanings.get(code);
  if (meaning !== undefined) return meaning;
  if (code >= 500) {
    return [
      "InternalError",
      `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`,
    ];
  }
  return ["", `the server responded with the status code ${code} but did not return more information`];
}
