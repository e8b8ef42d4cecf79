import { describe, expect, test } from "vitest";
import { parseOptions } from "../options/index.ts";
import { tlsSettings } from "./tls-settings.ts";

const settings = (...args: readonly string[]) => tlsSettings(parseOptions(args).secureServing);

describe("flags become settings", () => {
  test.each([
    [[], { http2: {}, asksForCertificate: true }],
    [["--tls-min-version=VersionTLS13"], { minVersion: "TLSv1.3" }],
    [
      ["--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256"],
      {
        ciphers:
          "ECDHE-RSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
      },
    ],
    [
      ["--tls-cipher-suites=TLS_AES_256_GCM_SHA384"],
      { ciphers: "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256" },
    ],
    [["--tls-curve-preferences=23,29"], { curves: "prime256v1:X25519" }],
    [["--http2-max-streams-per-connection=7"], { http2: { maxStreams: 7 } }],
  ])("%j → %j", (args, expected) => expect(settings(...args)).toMatchObject(expected));

  test("HTTP/2 is left out where it is disabled", () => {
    expect(settings("--disable-http2-serving")).not.toHaveProperty("http2");
  });
});

test.each([
  ["--tls-min-version=1.2", 'unknown tls version "1.2"'],
  ["--tls-cipher-suites=NULL", "Cipher suite NULL not supported or doesn't exist"],
  ["--tls-curve-preferences=1", "curve 1 is not supported"],
])("%s is refused", (arg, message) => expect(() => settings(arg)).toThrow(message));
