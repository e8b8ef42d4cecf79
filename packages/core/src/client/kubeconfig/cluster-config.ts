// Everything that a transport needs to connect and authenticate to a cluster. Made from a kubeconfig, from a pod's service
// account, or by hand; the transport does not know which.
import { type CaBundle, systemCaBundle } from "../credentials/ca-bundle.ts";
import { type Credentials, noCredentials } from "../credentials/credentials.ts";
import type { Impersonation } from "../credentials/impersonation.ts";

export interface ClusterConfig {
  /** http or https, possibly with a path prefix; no slash at the end, no query. */
  readonly server: string;
  /** The default namespace. */
  readonly namespace: string;
  readonly tls: ClusterTls;
  /** http, https or socks5; from the kubeconfig, else from HTTPS_PROXY and NO_PROXY. */
  readonly proxyUrl?: string;
  /** Whether to request uncompressed responses. */
  readonly disableCompression: boolean;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation;
  /** Where this came from, for people: `context "dev" of /home/me/.kube/config`. */
  readonly source: string;
}

export interface ClusterTls {
  readonly ca: CaBundle;
  /** If false, any server certificate is accepted. */
  readonly isVerified: boolean;
  /** The server name for SNI and verification, instead of the host name. */
  readonly serverName?: string;
}

/** Makes a ClusterConfig by hand. Default: https with the platform's roots, and anonymous. */
export function clusterConfig(given: Pick<ClusterConfig, "server"> & Partial<ClusterConfig>): ClusterConfig {
  return {
    namespace: "default",
    tls: { ca: systemCaBundle, isVerified: true },
    disableCompression: false,
    credentials: noCredentials,
    source: "given by the program",
    ...given,
    server: parseServer(given.server),
  };
}

/** Returns the server's address in normal form; throws a TypeError if it is invalid. */
export function parseServer(text: string): string {
  // As in kubectl: an address without a scheme is plain HTTP.
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === undefined) throw new TypeError("must be a URL such as https://host:6443");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new TypeError("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") throw new TypeError("must not carry a user or a password");
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
