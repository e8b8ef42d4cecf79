// The handler chain of the manager's endpoints, from the outside in: authentication, authorization, the endpoint. Answers are not to be cached.
import { type ApiRequest, type ApiResponse, newForbidden } from "@kubeloop/core/api";
import { type HttpHandler, type Peer, statusResponse } from "@kubeloop/core/runtime";
import type { Authentication } from "./authentication.ts";
import type { Authorization } from "./authorization.ts";

export interface Guards {
  readonly authentication: Authentication;
  readonly authorization: Authorization;
}

export function guarded(handler: HttpHandler, { authentication, authorization }: Guards): HttpHandler {
  return async (request, signal, peer) => uncached(await answer(request, signal, peer));

  async function answer(request: ApiRequest, signal: AbortSignal, peer: Peer): Promise<ApiResponse> {
    const user = await authentication.userOf(request, peer, signal);
    const verb = request.method.toLowerCase();
    if (await authorization.isAllowed(user, verb, request.path, signal)) return await handler(request, signal, peer);
    const detail = `User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(request.path)}`;
    return statusResponse(newForbidden({ group: "", resource: "" }, "", { detail }).status);
  }
}

const uncached = (response: ApiResponse): ApiResponse => ({
  ...response,
  headers: { "cache-control": "no-cache, private", ...response.headers },
});
