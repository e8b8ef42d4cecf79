// Who a request is from: a client certificate that this server's authority signed, a bearer token it knows, or nobody. Until authorization
// comes, the administrator may do everything and nobody may do what a real server lets the anonymous do.
import { createHash } from "node:crypto";
import type { TLSSocket } from "node:tls";
import {
  type ApiRequest,
  headerValue,
  newForbidden,
  newUnauthorized,
  requestInfoOf,
  type StatusError,
} from "@kubeloop/core/api";
import type { RequestUser } from "../kinds/kind-rules.ts";

export interface KnownToken {
  readonly token: string;
  readonly user: RequestUser;
}

const anonymous: RequestUser = {
  name: "system:anonymous",
  uid: undefined,
  groups: ["system:unauthenticated"],
  extra: {},
};

type PeerSocket = Pick<TLSSocket, "authorized" | "getPeerCertificate">;

export class KnownUsers {
  /** Tokens by what cannot be guessed letter by letter. */
  readonly #byDigest: ReadonlyMap<string, RequestUser>;
  /** Who spoke last on a connection, and how it said so: most say the same with each request. */
  readonly #speakers = new WeakMap<PeerSocket, { readonly authorization: string; readonly user: RequestUser }>();

  constructor(tokens: readonly KnownToken[]) {
    this.#byDigest = new Map(tokens.map(({ token, user }) => [digestOf(token), user]));
  }

  /** Throws 401 for credentials that are none. */
  userOf(request: ApiRequest, socket: PeerSocket | undefined): RequestUser {
    const authorization = headerValue(request.headers, "authorization") ?? "";
    const last = socket === undefined ? undefined : this.#speakers.get(socket);
    if (last?.authorization === authorization) return last.user;
    const user = this.#bearer(authorization) ?? certifiedUser(socket) ?? anonymous;
    if (socket !== undefined) this.#speakers.set(socket, { authorization, user });
    return user;
  }

  #bearer(authorization: string): RequestUser | undefined {
    const [scheme = "", token = ""] = authorization.split(" ");
    if (scheme.toLowerCase() !== "bearer" || token === "") return undefined;
    const user = this.#byDigest.get(digestOf(token));
    if (user === undefined) throw newUnauthorized("Unauthorized");
    return user;
  }
}

const digestOf = (token: string) => createHash("sha256").update(token).digest("base64");

function certifiedUser(socket: PeerSocket | undefined): RequestUser | undefined {
  if (socket?.authorized !== true) return undefined;
  const { subject } = socket.getPeerCertificate();
  const name = subject?.CN as string | readonly string[] | undefined;
  if (typeof name !== "string") return undefined;
  const organizations = subject.O as string | string[] | undefined;
  const groups = organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations];
  return { name, uid: undefined, groups: [...groups, "system:authenticated"], extra: {} };
}

const openToAll = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** What the anonymous may not do, as a real server words it; undefined for what they may. */
export function refusalFor(request: ApiRequest, user: RequestUser): StatusError | undefined {
  if (!user.groups.includes("system:unauthenticated")) return undefined;
  const info = requestInfoOf(request);
  if (!info.isResourceRequest) {
    const isOpen = openToAll.has(info.path) && info.verb === "get";
    if (isOpen) return undefined;
    const detail = `User ${JSON.stringify(user.name)} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
    return newForbidden({ group: "", resource: "" }, "", { detail });
  }
  const { group, resource, subresource, verb, namespace, name } = info;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const detail = `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
  return newForbidden({ group, resource }, name, { detail });
}
