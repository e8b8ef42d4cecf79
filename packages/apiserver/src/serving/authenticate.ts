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

/** What a connection's certificate says: who it is from, that it is none of ours, or nothing. */
type Certified = { readonly kind: "user"; readonly user: RequestUser } | { readonly kind: "refused" | "silent" };

/** Who spoke last on a connection, and how it said so: most say the same with each request. */
interface Speaker {
  readonly certified: Certified;
  authorization: string | undefined;
  user: RequestUser;
}

export class KnownUsers {
  /** Tokens by what cannot be guessed letter by letter. */
  readonly #byDigest: ReadonlyMap<string, RequestUser>;
  readonly #speakers = new WeakMap<PeerSocket, Speaker>();

  constructor(tokens: readonly KnownToken[]) {
    this.#byDigest = new Map(tokens.map(({ token, user }) => [digestOf(token), user]));
  }

  /** The certificate is asked first, then the token; throws 401 if neither knows who it is and one of them is wrong. */
  userOf(request: ApiRequest, socket: PeerSocket | undefined): RequestUser {
    const authorization = headerValue(request.headers, "authorization") ?? "";
    const speaker = this.#speakerOn(socket);
    const { certified } = speaker;
    if (certified.kind === "user") return certified.user;
    if (speaker.authorization === authorization) return speaker.user;
    const user = this.#bearer(authorization);
    // A certificate of somebody else's is no way to be nobody.
    if (user === undefined && certified.kind === "refused") throw newUnauthorized("Unauthorized");
    speaker.user = user ?? anonymous;
    speaker.authorization = authorization;
    return speaker.user;
  }

  #speakerOn(socket: PeerSocket | undefined): Speaker {
    let speaker = socket === undefined ? undefined : this.#speakers.get(socket);
    if (speaker === undefined) {
      speaker = { certified: certifiedOn(socket), authorization: undefined, user: anonymous };
      if (socket !== undefined) this.#speakers.set(socket, speaker);
    }
    return speaker;
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

function certifiedOn(socket: PeerSocket | undefined): Certified {
  if (socket === undefined) return { kind: "silent" };
  const certificate = socket.getPeerCertificate();
  // Without one, the platform answers with an empty object.
  if (Object.keys(certificate ?? {}).length === 0) return { kind: "silent" };
  if (!socket.authorized) return { kind: "refused" };
  const { subject } = certificate;
  const name = subject?.CN as string | readonly string[] | undefined;
  if (typeof name !== "string") return { kind: "silent" };
  const organizations = subject.O as string | string[] | undefined;
  const groups = organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations];
  return { kind: "user", user: { name, uid: undefined, groups: [...groups, "system:authenticated"], extra: {} } };
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
