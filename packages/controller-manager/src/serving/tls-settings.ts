// The TLS flags, whose values are Go's, in OpenSSL's words.
import type { SecureVersion } from "node:tls";
import type { TlsSettings } from "@kubeloop/core/runtime";
import type { KubeControllerManagerOptions } from "../options/index.ts";

const versions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
};

const curves: Readonly<Record<number, string>> = {
  23: "prime256v1",
  24: "secp384r1",
  25: "secp521r1",
  29: "X25519",
  4588: "X25519MLKEM768",
};

/** Of TLS 1.3: the same names in OpenSSL. Go always serves all of them, whichever are named. */
const tls13Ciphers = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

const ciphers: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: "",
  TLS_AES_256_GCM_SHA384: "",
  TLS_CHACHA20_POLY1305_SHA256: "",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: "ECDHE-ECDSA-RC4-SHA",
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: "ECDHE-RSA-DES-CBC3-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: "ECDHE-RSA-RC4-SHA",
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: "DES-CBC3-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
  TLS_RSA_WITH_RC4_128_SHA: "RC4-SHA",
};

type Serving = KubeControllerManagerOptions["secureServing"];

/** Throws upstream's complaint for a name that Go does not know. */
export function tlsSettings(serving: Serving): TlsSettings {
  const { tlsMinVersion, tlsCipherSuites, tlsCurvePreferences, disableHttp2Serving, http2MaxStreamsPerConnection } =
    serving;
  const minVersion = tlsMinVersion === "" ? undefined : versions[tlsMinVersion];
  if (tlsMinVersion !== "" && minVersion === undefined) throw new Error(`unknown tls version "${tlsMinVersion}"`);
  const named = tlsCipherSuites.map((name) => {
    const cipher = ciphers[name];
    if (cipher === undefined) throw new Error(`Cipher suite ${name} not supported or doesn't exist`);
    return cipher;
  });
  const known = named.filter((name) => name !== "");
  const curveNames = tlsCurvePreferences.map((id) => {
    const name = curves[id];
    if (name === undefined) throw new Error(`curve ${id} is not supported`);
    return name;
  });
  return {
    asksForCertificate: true,
    ...(minVersion === undefined ? {} : { minVersion }),
    // Who names suites of TLS 1.3 alone leaves none for TLS 1.2, as in Go.
    ...(named.length === 0 ? {} : { ciphers: [...known, ...tls13Ciphers].join(":") }),
    ...(curveNames.length === 0 ? {} : { curves: curveNames.join(":") }),
    ...(disableHttp2Serving
      ? {}
      : { http2: http2MaxStreamsPerConnection === 0 ? {} : { maxStreams: http2MaxStreamsPerConnection } }),
  };
}
