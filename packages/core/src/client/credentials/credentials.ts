// Who a client says it is. A transport asks for the current Credential before each request, sends its headers, connects
// with its certificate, and reports back when the server answered 401; the answer says whether a second try makes sense.
//
// Promises: asking is cheap when nothing has changed, concurrent askers share one look at a file or one run of a plugin,
// and an asker that gives up disturbs no other. Not promised: that a credential is good; only the server knows.
import { deepEqual } from "../../base/index.ts";
import { type ClientCertificate, checkPair } from "./client-certificate.ts";

/** What is shown to the server with one request. */
export interface Credential {
  /** To be sent unless the request brings its own; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be connected with. A new generation asks for new connections. */
  readonly certificate?: ClientCertificate;
}

export interface Credentials {
  current(signal: AbortSignal): Promise<Credential>;
  /**
   * The server answered 401 to `shown`. Looks for something newer and says whether `current` now gives something else: then
   * the request is worth repeating, once.
   */
  rejected(shown: Credential, signal: AbortSignal): Promise<boolean>;
}

/** Nobody: the server sees system:anonymous. */
export const noCredentials: Credentials = constant({ headers: {} });

export function tokenCredentials(token: string): Credentials {
  return constant({ headers: bearer(token) });
}

export function basicCredentials(username: string, password: string): Credentials {
  const pair = Buffer.from(`${username}:${password}`, "utf8").toString("base64");
  return constant({ headers: { authorization: `Basic ${pair}` } });
}

/** A client certificate and its key as PEM text; throws if they do not belong together. */
export function certificateCredentials(certificatePem: string, keyPem: string): Credentials {
  return constant({ headers: {}, certificate: { ...checkPair(certificatePem, keyPem), generation: 1 } });
}

export function bearer(token: string): Credential["headers"] {
  return { authorization: `Bearer ${token}` };
}

/** Whether the server would see no difference. */
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
