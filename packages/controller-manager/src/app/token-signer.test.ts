import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";
import { describe, expect, test } from "vitest";
import { keyIdOf, newTokenSigner, parsePrivateKey, readTokenSigner } from "./token-signer.ts";

const newRsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const newEc = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve }).privateKey;
const rsa = newRsa();
const p256 = newEc("prime256v1");
const ed25519 = generateKeyPairSync("ed25519").privateKey;
const toPem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1") => key.export({ type, format: "pem" }) as string;

describe("a token", () => {
  test.each([
    ["RS256", rsa, "sha256"],
    ["ES256", p256, "sha256"],
    ["ES384", newEc("secp384r1"), "sha384"],
    ["ES512", newEc("secp521r1"), "sha512"],
  ])("of %s is verified with the public half", (alg, key, hash) => {
    const claims = { iss: "kubernetes/serviceaccount", sub: "system:serviceaccount:shop:builder" };
    const token = newTokenSigner(key)(claims);
    const [header = "", payload = "", signature = ""] = token.split(".");
    expect(token.split(".")).toHaveLength(3);
    expect(Buffer.from(header, "base64url").toString()).toBe(`{"alg":"${alg}","kid":"${keyIdOf(key)}"}`);
    expect(Buffer.from(payload, "base64url").toString()).toBe(JSON.stringify(claims));
    const verifier = { key: createPublicKey(key), dsaEncoding: "ieee-p1363" } as const;
    const bytes = Buffer.from(signature, "base64url");
    expect(verify(hash, Buffer.from(`${header}.${payload}`), verifier, bytes)).toBe(true);
    expect(verify(hash, Buffer.from(`${header}.${payload}x`), verifier, bytes)).toBe(false);
  });

  test.each([
    ["a curve that JWTs do not have", newEc("secp224r1"), "unknown private key curve, must be 256, 384, or 521"],
    ["another kind of key", ed25519, "unknown private key type ed25519"],
  ])("is not signed with %s", (_fact, key, fault) => expect(() => newTokenSigner(key)).toThrow(fault));
});

// Kubernetes' own facts: tokens that were signed before must find their key.
const knownKeys = {
  rsa: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA249XwEo9k4tM8fMxV7zx
OhcrP+WvXn917koM5Qr2ZXs4vo26e4ytdlrV0bQ9SlcLpQVSYjIxNfhTZdDt+ecI
zshKuv1gKIxbbLQMOuK1eA/4HALyEkFgmS/tleLJrhc65tKPMGD+pKQ/xhmzRuCG
51RoiMgbQxaCyYxGfNLpLAZK9L0Tctv9a0mJmGIYnIOQM4kC1A1I1n3EsXMWmeJU
j7OTh/AjjCnMnkgvKT2tpKxYQ59PgDgU8Ssc7RDSmSkLxnrv+OrN80j6xrw0OjEi
B4Ycr0PqfzZcvy8efTtFQ/Jnc4Bp1zUtFXt7+QeevePtQ2EcyELXE0i63T1CujRM
WwIDAQAB
-----END PUBLIC KEY-----`,
  ecdsa: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEH6cuzP8XuD5wal6wf9M6xDljTOPL
X2i8uIp/C/ASqiIGUeeKQtX0/IR3qCXyThP/dbCiHrF3v1cuhBOHY8CLVg==
-----END PUBLIC KEY-----`,
} as const;

test.each([
  ["rsa", "JHJehTTTZlsspKHT-GaJxK7Kd1NQgZJu3fyK6K_QDYU"],
  ["ecdsa", "SoABiieYuNx4UdqYvZRVeuC6SihxgLrhLy9peHMHpTc"],
] as const)("the id of an %s key is the one that Kubernetes gives it", (name, id) => {
  expect(keyIdOf(createPublicKey(knownKeys[name]))).toBe(id);
});

test("a key's id is its public half's", () => expect(keyIdOf(rsa)).toBe(keyIdOf(createPublicKey(rsa))));

const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
const broken = "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n";
const encrypted = rsa.export({ type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase: "x" }) as string;

describe("a file", () => {
  test.each([
    ["of PKCS #1", toPem(rsa, "pkcs1"), rsa],
    ["of PKCS #8 with RSA", toPem(rsa, "pkcs8"), rsa],
    ["of PKCS #8 with ECDSA", toPem(p256, "pkcs8"), p256],
    ["of SEC 1", toPem(p256, "sec1"), p256],
    ["with parameters before the key", parameters + toPem(p256, "sec1"), p256],
    ["with text around the key", `a key:\n${toPem(rsa, "pkcs1")}the end`, rsa],
    ["with a key that cannot be read before it", broken + toPem(rsa, "pkcs1"), rsa],
    ["with two keys: the first", toPem(p256, "sec1") + toPem(rsa, "pkcs1"), p256],
  ])("%s is read", (_fact, pem, key) => expect(parsePrivateKey(pem)?.equals(key)).toBe(true));

  test.each([
    ["empty", ""],
    ["that is no PEM", "key"],
    ["with parameters alone", parameters],
    ["with a key that cannot be read", broken],
    ["with a key that is encrypted", encrypted],
    ["with a public key", knownKeys.rsa],
  ])("%s holds no key", (_fact, pem) => expect(parsePrivateKey(pem)).toBeUndefined());
});

describe("reading a signer", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-signer-"));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const begin = "error reading key for service account token controller: ";

  test("gives one that signs", async () => {
    const signer = await readTokenSigner(write("good.key", toPem(p256, "sec1")), systemClock);
    expect(signer({}).split(".")).toHaveLength(3);
  });

  test.each([
    ["none.key", join(folder, "none.key"), `${begin}ENOENT`],
    [
      "empty.key",
      write("empty.key", ""),
      `${begin}error reading private key file ${join(folder, "empty.key")}: data does not contain a valid RSA or ECDSA private key`,
    ],
    ["ed.key", write("ed.key", toPem(ed25519, "pkcs8")), "failed to build token generator: unknown private key type"],
    [
      "p224.key",
      write("p224.key", toPem(newEc("secp224r1"), "sec1")),
      "failed to build token generator: could not generate signer for ECDSA keypair: unknown private key curve",
    ],
  ])("%s says what is wrong", async (_name, path, fault) => {
    await expect(readTokenSigner(path, systemClock)).rejects.toThrow(fault);
  });
});
