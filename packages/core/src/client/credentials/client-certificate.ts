// A client certificate and its private key, as PEM text, checked once before they are used: otherwise a mismatched
// pair would show only as a failed TLS handshake.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { CredentialsError } from "./credentials-error.ts";

export interface CertificatePair {
  /** The certificate first, then intermediates if any. */
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface ClientCertificate extends CertificatePair {
  /** Increases with each change of certificate or key within one Credentials. */
  readonly generation: number;
}

/** Returns the pair if the key belongs to the first certificate; otherwise throws. */
export function checkPair(certificatePem: string, keyPem: string): CertificatePair {
  const certificate = parseCertificate(certificatePem);
  const key = parseKey(keyPem);
  if (!certificate.checkPrivateKey(key)) {
    throw new CredentialsError("the client key does not belong to the client certificate", { reason: "Invalid" });
  }
  return { certificatePem, keyPem };
}

const certificateBlocks = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Returns the certificates of a PEM text, each parsed; throws if there is none or one is broken. */
export function parseCertificates(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(certificateBlocks) ?? [];
  if (blocks.length === 0) throw new CredentialsError("holds no PEM certificate", { reason: "Invalid" });
  return blocks.map(parseCertificate);
}

function parseCertificate(pem: string): X509Certificate {
  const [first] = pem.match(certificateBlocks) ?? [];
  if (first === undefined) throw new CredentialsError("holds no PEM certificate", { reason: "Invalid" });
  try {
    return new X509Certificate(first);
  } catch (cause) {
    throw new CredentialsError("holds a certificate that cannot be parsed", { reason: "Invalid", cause });
  }
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const isEncrypted = /ENCRYPTED/.test(pem);
    const message = isEncrypted ? "the client key is encrypted" : "the client key is not a PEM private key";
    throw new CredentialsError(message, { reason: "Invalid", cause });
  }
}
