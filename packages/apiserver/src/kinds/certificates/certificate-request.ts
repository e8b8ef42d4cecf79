// Requests for certificates (PKCS #10): whether one is in a PEM text, and signed by whoever has the key it is for. What is wrong is reported in
// the words of Go's x509 package as far as users meet them; what is malformed inside is not told apart.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { bitStringTag, type DerValue, oidTag, readDer, readOid, sequenceTag } from "./der.ts";
import { pemBlocks } from "./pem-blocks.ts";

/** Hash by the OID of the algorithm; null where the algorithm brings its own. */
const hashes: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
};

const failures: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

const notOfType = "PEM block type must be CERTIFICATE REQUEST";
const malformed = "asn1: structure error: malformed certificate request";

interface Request {
  readonly signed: Buffer;
  readonly key: KeyObject;
  readonly algorithm: string;
  readonly signature: Buffer;
}

/** Undefined if it is right. */
export function requestFault(base64: string): string | undefined {
  const block = requestBlock(base64);
  if (block === undefined) return notOfType;
  const request = parseRequest(block);
  if (request === undefined) return malformed;
  const { signed, key, algorithm, signature } = request;
  const hash = hashes[algorithm];
  if (hash === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  if (verify(hash, signed, key, signature)) return undefined;
  return failures[key.asymmetricKeyType ?? ""] ?? "x509: signature verification failure";
}

function parseRequest(der: Buffer): Request | undefined {
  try {
    const [info, algorithm, signature] = parts(readDer(der)[0]);
    const [, , keyInfo] = parts(info);
    const [oid] = parts(algorithm);
    if (info === undefined || keyInfo === undefined || oid?.tag !== oidTag || signature?.tag !== bitStringTag) {
      return undefined;
    }
    return {
      signed: info.whole,
      key: createPublicKey({ key: keyInfo.whole, format: "der", type: "spki" }),
      algorithm: readOid(oid.content),
      // Whole bytes: the first says how many bits of the last do not count.
      signature: signature.content.subarray(1),
    };
  } catch {
    // Not DER, or a key of no known kind.
    return undefined;
  }
}

function parts(value: DerValue | undefined): readonly DerValue[] {
  return value?.tag === sequenceTag ? readDer(value.content) : [];
}

const setTag = 0x31;
const organization = "2.5.4.10";
const commonName = "2.5.4.3";

/** The groups that it asks for: the organizations of its subject. Undefined for what is no request. */
export const organizationsOf = (base64: string) => subjectValues(base64, organization);

/** Of several the last one, as Go reads them; empty if there is none. */
export const commonNameOf = (base64: string): string => subjectValues(base64, commonName)?.at(-1) ?? "";

/** Returns what keeps it from being read at all; whoever signed it is not asked. */
export function requestSyntaxFault(base64: string): string | undefined {
  const block = requestBlock(base64);
  if (block === undefined) return notOfType;
  return parseRequest(block) === undefined ? malformed : undefined;
}

function requestBlock(base64: string): Buffer | undefined {
  const [block] = pemBlocks(Buffer.from(base64, "base64").toString("latin1"));
  return block?.type === "CERTIFICATE REQUEST" ? block.der : undefined;
}

function subjectValues(base64: string, wanted: string): readonly string[] | undefined {
  const der = requestBlock(base64);
  if (der === undefined) return undefined;
  try {
    const [info] = parts(readDer(der)[0]);
    const [, subject] = parts(info);
    return parts(subject)
      .flatMap((set) => (set.tag === setTag ? readDer(set.content) : []))
      .flatMap((attribute) => {
        const [oid, value] = parts(attribute);
        const isWanted = oid?.tag === oidTag && readOid(oid.content) === wanted;
        return isWanted && value !== undefined ? [value.content.toString("utf8")] : [];
      });
  } catch {
    return undefined;
  }
}
