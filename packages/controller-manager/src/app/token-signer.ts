// Signs tokens of service accounts with the key of `--service-account-private-key-file`: JWTs in their compact form, as API servers with the
// public half of that key take them.
//
// RSA keys sign with RS256; ECDSA keys with ES256, ES384 or ES512, by their curve. The key's id in the header is the SHA-256 of its public
// half: whoever verifies finds the right one among several.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Clock, inFlight } from "@kubeloop/core/base";

export type TokenSigner = (claims: object) => string;

/** Throws where the file cannot be read, or holds no key that can sign. */
export async function readTokenSigner(path: string, clock: Clock): Promise<TokenSigner> {
  const key = await readPrivateKey(path, clock);
  try {
    return newTokenSigner(key);
  } catch (error) {
    throw new Error(`failed to build token generator: ${messageOf(error)}`, { cause: error });
  }
}

async function readPrivateKey(path: string, clock: Clock): Promise<KeyObject> {
  const whole = "error reading key for service account token controller";
  let pem: string;
  try {
    pem = await inFlight(clock, "service account key", () => readFile(path, "utf8"));
  } catch (error) {
    throw new Error(`${whole}: ${messageOf(error)}`, { cause: error });
  }
  const key = parsePrivateKey(pem);
  if (key !== undefined) return key;
  const fault = "data does not contain a valid RSA or ECDSA private key";
  throw new Error(`${whole}: error reading private key file ${path}: ${fault}`);
}

const keyBlocks = /-----BEGIN ((?:EC |RSA )?PRIVATE KEY)-----[\s\S]+?-----END \1-----/g;

/** The first block that holds a key. Blocks of other kinds ("EC PARAMETERS") and those that cannot be read are passed over. */
export function parsePrivateKey(pem: string): KeyObject | undefined {
  for (const [block] of pem.matchAll(keyBlocks)) {
    try {
      return createPrivateKey(block);
    } catch {
      // Perhaps the next one.
    }
  }
  return undefined;
}

interface Algorithm {
  readonly name: "RS256" | "ES256" | "ES384" | "ES512";
  readonly hash: "sha256" | "sha384" | "sha512";
}

const algorithmsByCurve: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: "ES256", hash: "sha256" },
  secp384r1: { name: "ES384", hash: "sha384" },
  secp521r1: { name: "ES512", hash: "sha512" },
};

export function newTokenSigner(key: KeyObject): TokenSigner {
  const { name, hash } = algorithmOf(key);
  const header = toBase64Url(JSON.stringify({ alg: name, kid: keyIdOf(key) }));
  return (claims) => {
    const signed = `${header}.${toBase64Url(JSON.stringify(claims))}`;
    // The encoding is for ECDSA: JWTs have both numbers side by side. RSA has no such choice.
    const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  };
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Algorithm {
  if (type === "rsa") return { name: "RS256", hash: "sha256" };
  if (type !== "ec") {
    throw new Error(`unknown private key type ${type}, must be RSA or ECDSA`);
  }
  const algorithm = algorithmsByCurve[details?.namedCurve ?? ""];
  if (algorithm !== undefined) return algorithm;
  const fault = "unknown private key curve, must be 256, 384, or 521";
  throw new Error(`could not generate signer for ECDSA keypair: ${fault}`);
}

/** Of a private or a public key: tokens of a key that an older manager has signed with stay valid, so this must never change. */
export function keyIdOf(key: KeyObject): string {
  const { type } = key;
  const publicKey = type === "private" ? createPublicKey(key) : key;
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
}

const toBase64Url = (text: string) => Buffer.from(text, "utf8").toString("base64url");

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
