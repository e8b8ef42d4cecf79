// What the policies need to know about a request before it is sent: whether it lasts, and whether it may be sent again.
import { requestInfoOf } from "../../api/request-info.ts";
import type { ApiRequest } from "../../api/transport.ts";

const lastingSubresources: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

export function isWatch(request: ApiRequest): boolean {
  return requestInfoOf(request).verb === "watch";
}

/** Whether it goes on for as long as the caller likes, as kube-apiserver judges it: then no deadline fits it. */
export function isLongRunning(request: ApiRequest): boolean {
  if (request.upgrade !== undefined) return true;
  const info = requestInfoOf(request);
  if (!info.isResourceRequest) return false;
  return info.verb === "watch" || info.verb === "proxy" || lastingSubresources.has(info.subresource);
}

/** Whether its body can be sent a second time. */
export function isReplayable({ body }: ApiRequest): boolean {
  return body.kind !== "bytes" || body.bytes instanceof Uint8Array;
}

/** Whether doing it twice is the same as doing it once. A command that is run over an upgraded GET is not. */
export function isSafe({ method, upgrade }: ApiRequest): boolean {
  return upgrade === undefined && (method === "GET" || method === "HEAD");
}

/** How people call it: "GET /api/v1/pods". */
export function printRequest({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}
