// Whether a client's certificate comes from one of these authorities: issued by one, directly or through certificates that were sent with it,
// valid now, and meant for clients. What it says of the client is read only then.
import { X509Certificate } from "node:crypto";

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyPurpose = "2.5.29.37.0";
const longestChain = 8;

export interface CertifiedName {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Undefined if it does not. */
export function verifyCertificate(
  chain: readonly Uint8Array[],
  authorities: readonly X509Certificate[],
  nowMs: number,
): CertifiedName | undefined {
  const [leaf, ...sent] = chain.map((der) => new X509Certificate(der));
  if (leaf === undefined || !isForClients(leaf)) return undefined;
  let each = leaf;
  for (let length = 0; length < longestChain; length++) {
    if (!isValid(each, nowMs)) return undefined;
    const signed = each;
    const authority = authorities.find((one) => isIssuedBy(signed, one));
    if (authority !== undefined) return isValid(authority, nowMs) ? readName(leaf) : undefined;
    const next = sent.find((one) => one.ca && one.fingerprint256 !== signed.fingerprint256 && isIssuedBy(signed, one));
    if (next === undefined) return undefined;
    each = next;
  }
  return undefined;
}

/** All certificates of a PEM text. Throws for one that cannot be read. */
export function readAuthorities(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate) =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

const isValid = ({ validFrom, validTo }: X509Certificate, nowMs: number) =>
  Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo);

function isForClients({ keyUsage }: X509Certificate): boolean {
  const usages: readonly string[] | undefined = keyUsage;
  return usages === undefined || usages.includes(clientAuth) || usages.includes(anyPurpose);
}

/** Not from the printed subject: Go puts several organizations into one part of it, and names there are escaped. */
function readName(certificate: X509Certificate): CertifiedName {
  const subject: Partial<Record<string, string | string[]>> = certificate.toLegacyObject().subject;
  const of = (name: string) => [subject[name] ?? []].flat();
  return { commonName: of("CN").at(-1) ?? "", organizations: of("O") };
}
