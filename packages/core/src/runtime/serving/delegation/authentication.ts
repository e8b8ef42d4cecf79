// Who a request to the endpoints of a process is from. In this order: a front proxy's certificate, which lets headers name the user; a client
// certificate; a bearer token, which the cluster reviews; nobody. Promises that who shows a token that the server does not know, or a
// certificate of no known authority, and is nobody by other means either, is refused (401).
import { createHash, X509Certificate } from "node:crypto";
import { tokenReviews } from "../../../api/generated/resources.ts";
import { type ApiRequest, type authenticationv1, headerValue, newUnauthorized } from "../../../api/index.ts";
import type { Clock } from "../../../base/index.ts";
import type { Client } from "../../../client/index.ts";
import type { Peer } from "../http-server.ts";
import type { ClientAuthorities } from "./client-authorities.ts";
import { observeReview } from "./observe-review.ts";
import { ReviewCache } from "./review-cache.ts";
import type { AuthenticationObserver } from "./review-observers.ts";
import { verifyCertificate } from "./verify-certificate.ts";

export interface AuthenticatedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: AuthenticatedUser = {
  name: "system:anonymous",
  uid: "",
  groups: ["system:unauthenticated"],
  extra: {},
};

export interface AuthenticationOptions {
  readonly clock: Clock;
  readonly authorities: () => ClientAuthorities;
  /** Whom to ask about tokens; without one, tokens say nothing. */
  readonly client: Client | undefined;
  readonly tokenTtlMs: number;
  readonly metrics?: AuthenticationObserver;
}

export class Authentication {
  readonly #options: AuthenticationOptions;
  readonly #reviews: ReviewCache<AuthenticatedUser | undefined>;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
    this.#reviews = new ReviewCache(options.clock, () => options.tokenTtlMs, options.metrics?.tokenCache);
  }

  async userOf(request: ApiRequest, peer: Peer, signal: AbortSignal): Promise<AuthenticatedUser> {
    const user =
      this.#fromFrontProxy(request, peer) ?? this.#fromCertificate(peer) ?? (await this.#fromToken(request, signal));
    if (user !== undefined) return user;
    if (this.#isStranger(peer)) throw newUnauthorized("Unauthorized");
    return anonymous;
  }

  /** Whether it shows a certificate that was looked at and that one of the looks refused. */
  #isStranger({ certificates }: Peer): boolean {
    if (certificates.length === 0) return false;
    const { clientAuthorities, requestHeader } = this.#options.authorities();
    const now = this.#options.clock.now();
    const isRefusedBy = (authorities: ClientAuthorities["clientAuthorities"]) =>
      verifyCertificate(certificates, authorities, now) === undefined;
    if (clientAuthorities.length > 0 && isRefusedBy(clientAuthorities)) return true;
    if (requestHeader === undefined) return false;
    const proxy = verifyCertificate(certificates, requestHeader.authorities, now);
    return proxy === undefined || !isAllowedProxy(requestHeader.allowedNames, proxy.commonName);
  }

  #fromFrontProxy({ headers }: ApiRequest, { certificates }: Peer): AuthenticatedUser | undefined {
    const { requestHeader } = this.#options.authorities();
    if (requestHeader === undefined || certificates.length === 0) return undefined;
    const proxy = verifyCertificate(certificates, requestHeader.authorities, this.#options.clock.now());
    if (proxy === undefined) return undefined;
    if (!isAllowedProxy(requestHeader.allowedNames, proxy.commonName)) return undefined;
    const first = (names: readonly string[]) =>
      names
        .map((name) => headerValue(headers, name.toLowerCase()))
        .find((value) => value !== undefined && value !== "");
    const name = first(requestHeader.usernameHeaders);
    if (name === undefined) return undefined;
    const groups = requestHeader.groupHeaders.flatMap((header) => valuesOf(headers[header.toLowerCase()]));
    const prefixes = requestHeader.extraHeaderPrefixes.map((prefix) => prefix.toLowerCase());
    const extra = Object.entries(headers).flatMap(([header, value]) => {
      const prefix = prefixes.find((each) => header.startsWith(each));
      return prefix === undefined ? [] : [[decodeKey(header.slice(prefix.length)), valuesOf(value)] as const];
    });
    return authenticated({
      name,
      uid: first(requestHeader.uidHeaders) ?? "",
      groups,
      extra: Object.fromEntries(extra),
    });
  }

  #fromCertificate({ certificates }: Peer): AuthenticatedUser | undefined {
    const [leaf] = certificates;
    if (leaf === undefined) return undefined;
    // Of every certificate that is shown, by whomever it is signed.
    const lifeMs = Date.parse(new X509Certificate(leaf).validTo) - this.#options.clock.now();
    this.#options.metrics?.certificateLife(lifeMs / 1000);
    const found = verifyCertificate(
      certificates,
      this.#options.authorities().clientAuthorities,
      this.#options.clock.now(),
    );
    if (found === undefined || found.commonName === "") return undefined;
    return authenticated({ name: found.commonName, uid: "", groups: found.organizations, extra: {} });
  }

  async #fromToken({ headers }: ApiRequest, signal: AbortSignal): Promise<AuthenticatedUser | undefined> {
    const [scheme = "", token = ""] = (headerValue(headers, "authorization") ?? "").split(" ");
    if (scheme.toLowerCase() !== "bearer" || token === "" || this.#options.client === undefined) return undefined;
    const digest = createHash("sha256").update(token).digest("base64");
    const user = await this.#reviews.get(digest, (each) => this.#review(token, each), signal);
    if (user === undefined) throw newUnauthorized("Unauthorized");
    return user;
  }

  async #review(token: string, signal: AbortSignal): Promise<AuthenticatedUser | undefined> {
    const review: authenticationv1.TokenReview = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token },
    };
    const { client, clock, metrics } = this.#options;
    const answer = await observeReview(clock, metrics?.tokenReview, () =>
      client?.resource(tokenReviews).create(review, signal),
    );
    const { authenticated: isKnown, user = {} } = answer?.status ?? {};
    if (isKnown !== true) return undefined;
    const { username: name = "", uid = "", groups = [], extra = {} } = user;
    return { name, uid, groups, extra };
  }
}

const isAllowedProxy = (allowedNames: readonly string[], name: string) =>
  allowedNames.length === 0 || allowedNames.includes(name);

const authenticated = (user: AuthenticatedUser): AuthenticatedUser => ({
  ...user,
  groups: user.groups.includes("system:authenticated") ? user.groups : [...user.groups, "system:authenticated"],
});

const valuesOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? value.split(",").map((one) => one.trim()) : value;

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
