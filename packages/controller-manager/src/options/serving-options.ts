// The settings of the HTTPS endpoints: where they listen, with which certificates, who may read them.
import {
  bool,
  duration,
  flag,
  int,
  int32SliceType,
  ipType,
  namedCertKeysType,
  string,
  strings,
} from "../flags/index.ts";

export const secureServing = {
  bindAddress: flag(
    ipType,
    "bind-address",
    "0.0.0.0",
    "Address on which --secure-port listens. 0.0.0.0 or :: is all addresses of the machine.",
  ),
  bindPort: int("secure-port", 10257, "Port of the HTTPS endpoints. 0 serves none."),
  certDirectory: string(
    "cert-dir",
    "",
    "Folder of the certificate kube-controller-manager.crt and its key: made there, if they are missing. Without it a certificate is made in memory. Not with --tls-cert-file.",
  ),
  tlsCertFile: string("tls-cert-file", "", "File with the certificate for HTTPS, followed by its authorities if any."),
  tlsPrivateKeyFile: string("tls-private-key-file", "", "File with the key of --tls-cert-file."),
  tlsCipherSuites: strings(
    "tls-cipher-suites",
    [],
    "Cipher suites of the server, by their names in Go, by commas. Not those of TLS 1.3.",
  ),
  tlsMinVersion: string(
    "tls-min-version",
    "",
    "The oldest TLS version served: VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13.",
  ),
  tlsCurvePreferences: flag(
    int32SliceType,
    "tls-curve-preferences",
    [],
    "Curves for the key exchange, by their numbers in TLS: 23, 24 and 25 are P-256, P-384 and P-521, 29 is X25519, 4588 X25519MLKEM768.",
  ),
  tlsSniCertKeys: flag(
    namedCertKeysType,
    "tls-sni-cert-key",
    [],
    'A further certificate and key by host name: "crt,key" or "crt,key:example.com,*.example.org". May be given several times.',
  ),
  http2MaxStreamsPerConnection: int(
    "http2-max-streams-per-connection",
    0,
    "How many streams a client may have open on an HTTP/2 connection. 0 is Node's own limit.",
  ),
  disableHttp2Serving: bool("disable-http2-serving", false, "Serve HTTP/1.1 only."),
  permitAddressSharing: bool(
    "permit-address-sharing",
    false,
    "Listen on an address that others also listen on in general (SO_REUSEADDR). Node always does.",
  ),
  permitPortSharing: bool(
    "permit-port-sharing",
    false,
    "Several processes may listen on the same port (SO_REUSEPORT). Needs Node 23.1.",
  ),
} as const;

export const authentication = {
  remoteKubeconfig: string(
    "authentication-kubeconfig",
    "",
    "Kubeconfig of the server that reviews tokens. Without it tokens are anonymous and no client authority is looked up.",
  ),
  skipLookup: bool(
    "authentication-skip-lookup",
    false,
    "Do not look up in the cluster which authorities sign clients' certificates.",
  ),
  cacheTTLMs: duration(
    "authentication-token-webhook-cache-ttl",
    "10s",
    "How long the review of a token is remembered.",
  ),
  tolerateInClusterLookupFailure: bool(
    "authentication-tolerate-lookup-failure",
    false,
    "Start also when that look-up fails: then every request is anonymous.",
  ),
  clientCAFile: string(
    "client-ca-file",
    "",
    "File with authorities: a client whose certificate one of them signed is the certificate's common name.",
  ),
  requestHeaderAllowedNames: strings(
    "requestheader-allowed-names",
    [],
    "Common names of client certificates that may name the user in headers. None given: every certificate of --requestheader-client-ca-file.",
  ),
  requestHeaderClientCAFile: string(
    "requestheader-client-ca-file",
    "",
    "File with authorities whose clients may name the user in headers.",
  ),
  requestHeaderExtraHeaderPrefixes: strings(
    "requestheader-extra-headers-prefix",
    ["x-remote-extra-"],
    "Prefixes of headers with more about the user.",
  ),
  requestHeaderGroupHeaders: strings(
    "requestheader-group-headers",
    ["x-remote-group"],
    "Headers with the user's groups.",
  ),
  requestHeaderUIDHeaders: strings("requestheader-uid-headers", [], "Headers with the user's uid."),
  requestHeaderUsernameHeaders: strings(
    "requestheader-username-headers",
    ["x-remote-user"],
    "Headers with the user's name.",
  ),
} as const;

export const authorization = {
  alwaysAllowPaths: strings(
    "authorization-always-allow-paths",
    ["/healthz", "/readyz", "/livez"],
    "Paths that anybody may read without the server being asked.",
  ),
  remoteKubeconfig: string(
    "authorization-kubeconfig",
    "",
    "Kubeconfig of the server that reviews who may read what. Without it only the paths above may be read.",
  ),
  allowCacheTTLMs: duration(
    "authorization-webhook-cache-authorized-ttl",
    "10s",
    "How long a review that allows is remembered.",
  ),
  denyCacheTTLMs: duration(
    "authorization-webhook-cache-unauthorized-ttl",
    "10s",
    "How long a review that denies is remembered.",
  ),
} as const;
