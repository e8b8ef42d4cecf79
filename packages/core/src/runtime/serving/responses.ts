// The few kinds of answers that a process gives about itself: text, a Status, nothing.
import { type ApiResponse, bytesResponse, type HttpHeaders, type metav1, newStatusError } from "../../api/index.ts";

const encoder = new TextEncoder();

export function textResponse(status: number, text: string, headers: HttpHeaders = {}): ApiResponse {
  return wholeResponse(status, encoder.encode(text), {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    ...headers,
  });
}

/** Prints nothing itself: `text` is JSON already. */
export function jsonResponse(status: number, text: string): ApiResponse {
  return wholeResponse(status, encoder.encode(text), { "content-type": "application/json" });
}

/** What Kubernetes' own clients read a failure from. */
export function statusResponse(status: metav1.Status): ApiResponse {
  return jsonResponse(status.code ?? 500, JSON.stringify(status));
}

export function wholeResponse(status: number, bytes: Uint8Array, headers: HttpHeaders): ApiResponse {
  return bytesResponse(status, bytes, { ...headers, "content-length": String(bytes.length) });
}

/** For a path that nobody serves, in Go's words. */
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
