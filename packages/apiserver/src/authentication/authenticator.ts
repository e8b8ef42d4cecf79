// Who a request is from: a user that the caller in this process names, a client certificate that the connection's authority signed, a bearer
// token, or nobody.
//
// Promises
// - It is asked for every request. Only the certificate belongs to the connection, because TLS has verified it there; a token that is no longer
//   known is refused with the next request.
// - A certificate comes before a token. Credentials that are given and wrong are refused (401); only a request without any is anonymous.
import { createHash } from "node:crypto";
import { type ApiRequest, headerValue, newUnauthorized } from "@kubeloop/core/api";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { anonymousUser } from "./users.ts";

/** What the client certificate of a connection says. "refused": another authority signed it. */
export type PeerCertificate =
  | { readonly kind: "user"; readonly user: RequestUser }
  | { readonly kind: "refused" }
  | { readonly kind: "none" };

/** Where a request comes from, as far as that says who sent it. */
export type RequestOrigin =
  /** The caller vouches for the user. */
  | { readonly kind: "user"; readonly user: RequestUser }
  | { readonly kind: "connection"; readonly certificate: PeerCertificate };

export interface Authenticator {
  /** Throws 401. */
  authenticate(request: ApiRequest, origin: RequestOrigin): Promise<RequestUser>;
  /** Undefined for a token that nobody knows. */
  authenticateToken(token: string): Promise<RequestUser | undefined>;
}

/** Knows the tokens that were added to it. */
export class TokenAuthenticator implements Authenticator {
  /** By digest: a comparison of digests tells nothing about the token. */
  readonly #users = new Map<string, RequestUser>();

  add(token: string, user: RequestUser): void {
    this.#users.set(digestOf(token), user);
  }

  remove(token: string): void {
    this.#users.delete(digestOf(token));
  }

  async authenticate(request: ApiRequest, origin: RequestOrigin): Promise<RequestUser> {
    if (origin.kind === "user") return origin.user;
    const { certificate } = origin;
    if (certificate.kind === "user") return certificate.user;
    const token = bearerTokenOf(request);
    if (token !== undefined) {
      const user = await this.authenticateToken(token);
      if (user === undefined) throw newUnauthorized("Unauthorized");
      return user;
    }
    // A certificate of another authority is a wrong credential, not a missing one.
    if (certificate.kind === "refused") throw newUnauthorized("Unauthorized");
    return anonymousUser;
  }

  async authenticateToken(token: string): Promise<RequestUser | undefined> {
    return token === "" ? undefined : this.#users.get(digestOf(token));
  }
}

/** Undefined for other schemes, which this server does not read, and for an empty token. */
function bearerTokenOf({ headers }: ApiRequest): string | undefined {
  const [scheme = "", token = ""] = (headerValue(headers, "authorization") ?? "").split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

const digestOf = (token: string) => createHash("sha256").update(token).digest("base64");
