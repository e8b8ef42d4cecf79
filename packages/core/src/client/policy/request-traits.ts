// Properties of a request that the policies need: whether it is long-running, and whether it may be repeated.
import { requestInfoOf } from "../../api/request-info.ts";
import type { ApiRequest } from "../../api/transport.ts";

const lastingSubresources: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

export function isWatch(request: ApiRequest): boolean {
  return requestInfoOf(request).verb === "watch";
}

/** Whether it lasts as long as the caller likes, by kube-apiserver's rules: then it has no deadline. */
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

/** Whether repeating it changes nothing. That is not so for a command that is run over an upgraded GET. */
export function isSafe({ method, upgrade }: ApiRequest): boolean {
  return upgrade === undefined && (method === "GET" || method === "HEAD");
}

/** Returns "GET /api/v1/pods". */
export function printRequest({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}
