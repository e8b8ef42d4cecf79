// Credentials that are fetched by an exec plugin or a function. They are kept until they expire or the server
// rejects them; one fetch at a time serves all callers.
import { type Clock, inFlight, SharedWork } from "../../base/index.ts";
import { type CertificatePair, type ClientCertificate, checkPair } from "./client-certificate.ts";
import { bearer, type Credential, type Credentials, isSameCredential } from "./credentials.ts";

export interface FetchedCredential {
  readonly token?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly certificate?: CertificatePair;
  /** Milliseconds since 1970. If absent, see the users of this type. */
  readonly expiresAtMs?: number;
}

export interface RenewedCredentialsOptions {
  readonly fetch: (signal: AbortSignal) => Promise<FetchedCredential>;
  readonly clock: Clock;
  /** What to do with a credential without an expiry time. */
  readonly withoutExpiry: "keep" | "fetch every time";
}

export class RenewedCredentials implements Credentials {
  readonly #options: RenewedCredentialsOptions;
  readonly #renewal: SharedWork<Credential>;
  #kept: { readonly credential: Credential; readonly expiresAtMs: number } | undefined;
  #lastCertificate: ClientCertificate | undefined;

  constructor(options: RenewedCredentialsOptions) {
    this.#options = options;
    this.#renewal = new SharedWork((signal) =>
      inFlight(options.clock, "fetching credentials", () => this.#renew(signal)),
    );
  }

  async current(signal: AbortSignal): Promise<Credential> {
    signal.throwIfAborted();
    const kept = this.#kept;
    if (kept !== undefined && this.#options.clock.now() <= kept.expiresAtMs) return kept.credential;
    return await this.#renewal.join(signal);
  }

  async rejected(shown: Credential, signal: AbortSignal): Promise<boolean> {
    // Another caller was rejected first, and there is already a newer credential.
    if (this.#kept !== undefined && !isSameCredential(this.#kept.credential, shown)) return true;
    this.#kept = undefined;
    return !isSameCredential(await this.#renewal.join(signal), shown);
  }

  async #renew(signal: AbortSignal): Promise<Credential> {
    const fetched = await this.#options.fetch(signal);
    const credential = this.#toCredential(fetched);
    const forEver = this.#options.withoutExpiry === "keep" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.#kept = { credential, expiresAtMs: fetched.expiresAtMs ?? forEver };
    return credential;
  }

  #toCredential({ token, headers, certificate }: FetchedCredential): Credential {
    const allHeaders = { ...headers, ...(token === undefined ? {} : bearer(token)) };
    return certificate === undefined
      ? { headers: allHeaders }
      : { headers: allHeaders, certificate: this.#toClientCertificate(certificate) };
  }

  #toClientCertificate({ certificatePem, keyPem }: CertificatePair): ClientCertificate {
    const last = this.#lastCertificate;
    if (last?.certificatePem === certificatePem && last.keyPem === keyPem) return last;
    const generation = (last?.generation ?? 0) + 1;
    this.#lastCertificate = { ...checkPair(certificatePem, keyPem), generation };
    return this.#lastCertificate;
  }
}

/** Returns a token, or a whole credential. May be slow; its signal may abort it. */
export type CredentialFunction = (
  signal: AbortSignal,
) => string | FetchedCredential | Promise<string | FetchedCredential>;

/**
 * Credentials from a function. It is called before each request, unless its result has an expiry time: then
 * the result is kept until that time, or until the server answers 401.
 */
export function functionCredentials(fetch: CredentialFunction, options: { readonly clock: Clock }): Credentials {
  return new RenewedCredentials({
    clock: options.clock,
    withoutExpiry: "fetch every time",
    async fetch(signal) {
      const fetched = await fetch(signal);
      return typeof fetched === "string" ? { token: fetched } : fetched;
    },
  });
}
