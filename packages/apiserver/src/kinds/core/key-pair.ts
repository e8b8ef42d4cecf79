// Whether a certificate and a private key belong together, in the words of Go's TLS package. Only what users get wrong is reported: no
// PEM at all, blocks of the wrong type, a key of another certificate. What is inside a block and malformed is not looked into further.
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";

interface PemBlock {
  readonly type: string;
  readonly text: string;
}

/** Undefined if they do, or if it cannot be told. */
export function keyPairFault(certificatePem: string, keyPem: string): string | undefined {
  const certificates = pemBlocks(certificatePem);
  const certificate = certificates.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) return certificateMissing(certificates);
  const keys = pemBlocks(keyPem);
  const key = keys.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (key === undefined) return keyMissing(keys);
  return belongTogether(certificate.text, key.text) ? undefined : "tls: private key does not match public key";
}

function certificateMissing(blocks: readonly PemBlock[]): string {
  const [only] = blocks;
  if (only === undefined) return "tls: failed to find any PEM data in certificate input";
  if (blocks.length === 1 && only.type.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function keyMissing(blocks: readonly PemBlock[]): string {
  const [only] = blocks;
  if (only === undefined) return "tls: failed to find any PEM data in key input";
  if (blocks.length === 1 && only.type === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

const typesOf = (blocks: readonly PemBlock[]) => `[${blocks.map(({ type }) => type).join(" ")}]`;

function pemBlocks(text: string): readonly PemBlock[] {
  const found = text.matchAll(/-----BEGIN ([^-\n]*)-----\r?\n[A-Za-z0-9+/=\s:,-]*?-----END \1-----/g);
  return [...found].map(([block, type = ""]) => ({ type, text: block }));
}

function belongTogether(certificatePem: string, keyPem: string): boolean {
  try {
    const { publicKey } = new X509Certificate(certificatePem);
    const own = createPublicKey(createPrivateKey(keyPem));
    return own.export({ type: "spki", format: "der" }).equals(publicKey.export({ type: "spki", format: "der" }));
  } catch {
    // Not a certificate or not a key after all: Go would say in what way.
    return true;
  }
}
