// The handler chain of the manager's endpoints, from the outside in: authentication, authorization, the endpoint. Answers are not to be cached.
import { type ApiRequest, type ApiResponse, newForbidden } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import {
  type AccessDecision,
  type AuthenticatedUser,
  type Authentication,
  type HttpHandler,
  type Peer,
  statusResponse,
} from "@kubeloop/core/runtime";
import type { ServingMetrics } from "../metrics/index.ts";
import type { Authorization } from "./authorization.ts";

export interface Guards {
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  readonly clock: Clock;
  readonly metrics?: ServingMetrics;
}

export function guarded(handler: HttpHandler, guards: Guards): HttpHandler {
  return async (request, signal, peer) => uncached(await answer(request, signal, peer));

  async function answer(request: ApiRequest, signal: AbortSignal, peer: Peer): Promise<ApiResponse> {
    const user = await authenticate(guards, request, peer, signal);
    const verb = request.method.toLowerCase();
    const decision = await authorize(guards, { user, verb, path: request.path }, signal);
    if (decision === "allowed") return await handler(request, signal, peer);
    const detail = `User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(request.path)}`;
    return statusResponse(newForbidden({ group: "", resource: "" }, "", { detail }).status);
  }
}

async function authenticate(
  { authentication, clock, metrics }: Guards,
  request: ApiRequest,
  peer: Peer,
  signal: AbortSignal,
): Promise<AuthenticatedUser> {
  const startMs = clock.monotonic();
  let name: string | undefined;
  try {
    const user = await authentication.userOf(request, peer, signal);
    ({ name } = user);
    return user;
  } finally {
    metrics?.authenticated(name, (clock.monotonic() - startMs) / 1000);
  }
}

interface Access {
  readonly user: AuthenticatedUser;
  readonly verb: string;
  readonly path: string;
}

async function authorize(
  { authorization, clock, metrics }: Guards,
  { user, verb, path }: Access,
  signal: AbortSignal,
): Promise<AccessDecision> {
  const startMs = clock.monotonic();
  let result: AccessDecision | "error" = "error";
  try {
    result = await authorization.authorize(user, verb, path, signal);
    return result;
  } finally {
    metrics?.authorized(result, (clock.monotonic() - startMs) / 1000);
  }
}

const uncached = (response: ApiResponse): ApiResponse => ({
  ...response,
  headers: { "cache-control": "no-cache, private", ...response.headers },
});
