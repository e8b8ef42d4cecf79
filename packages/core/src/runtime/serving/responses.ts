// The few kinds of responses of the process's own endpoints: text, JSON, and a Status.
import { type ApiResponse, bytesResponse, type HttpHeaders, type metav1, newStatusError } from "../../api/index.ts";

const encoder = new TextEncoder();

export function textResponse(status: number, text: string, headers: HttpHeaders = {}): ApiResponse {
  return wholeResponse(status, encoder.encode(text), {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    ...headers,
  });
}

/** `text` must already be JSON. */
export function jsonResponse(status: number, text: string): ApiResponse {
  return wholeResponse(status, encoder.encode(text), { "content-type": "application/json" });
}

/** Returns the Status as the response body: Kubernetes clients read failures from it. */
export function statusResponse(status: metav1.Status): ApiResponse {
  return jsonResponse(status.code ?? 500, JSON.stringify(status));
}

export function wholeResponse(status: number, bytes: Uint8Array, headers: HttpHeaders): ApiResponse {
  return bytesResponse(status, bytes, { ...headers, "content-length": String(bytes.length) });
}

/** Returns the response for a path without a route, with the same text as Go's net/http. */
export function notFoundResponse(): ApiResponse {
  return textResponse(404, "404 page not found\n");
}

export function methodNotAllowedResponse(allowed: readonly string[]): ApiResponse {
  const { status } = newStatusError({
    code: 405,
    reason: "MethodNotAllowed",
    message: `only ${allowed.join(" and ")} are answered here`,
  });
  const response = statusResponse(status);
  return { ...response, headers: { ...response.headers, allow: allowed.join(", ") } };
}
