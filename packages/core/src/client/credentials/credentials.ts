// How a client authenticates. A transport gets the current Credential before each request, sends its headers, connects
// with its certificate, and reports a 401 response; the result says whether a second try makes sense.
//
// Promises: `current` is cheap if nothing has changed, concurrent callers share one read of a file or one run of a plugin,
// and an aborted caller does not affect the others. Not promised: that a credential is valid; only the server knows.
import { deepEqual } from "../../base/index.ts";
import { type ClientCertificate, checkPair } from "./client-certificate.ts";

/** What is sent to the server with one request. */
export interface Credential {
  /** Sent unless the request has its own; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Used for the connection. A new generation requires new connections. */
  readonly certificate?: ClientCertificate;
}

export interface Credentials {
  current(signal: AbortSignal): Promise<Credential>;
  /**
   * Called after the server answered 401 to `shown`. Looks for a newer credential and returns whether `current` now returns another
   * one: then the request is worth repeating, once.
   */
  rejected(shown: Credential, signal: AbortSignal): Promise<boolean>;
}

/** Anonymous: the server sees system:anonymous. */
export const noCredentials: Credentials = constant({ headers: {} });

export function tokenCredentials(token: string): Credentials {
  return constant({ headers: bearer(token) });
}

export function basicCredentials(username: string, password: string): Credentials {
  const pair = Buffer.from(`${username}:${password}`, "utf8").toString("base64");
  return constant({ headers: { authorization: `Basic ${pair}` } });
}

/** A client certificate and its key as PEM text; throws if they do not match. */
export function certificateCredentials(certificatePem: string, keyPem: string): Credentials {
  return constant({ headers: {}, certificate: { ...checkPair(certificatePem, keyPem), generation: 1 } });
}

export function bearer(token: string): Credential["headers"] {
  return { authorization: `Bearer ${token}` };
}

/** Whether the two are the same for the server. */
export function isSameCredential(left: Credential, right: Credential): boolean {
  return left.certificate?.generation === right.certificate?.generation && deepEqual(left.headers, right.headers);
}

function constant(credential: Credential): Credentials {
  return {
    async current(signal) {
      signal.throwIfAborted();
      return credential;
    },
    rejected: async () => false,
  };
}
