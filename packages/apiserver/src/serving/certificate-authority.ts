// Certificates of a server's own: one authority, and whatever it signs, for servers and for clients. Keys are ECDSA P-256. pkijs is
// imported on first use. Nothing here touches the disk. A subpath of its own, for whoever needs certificates and no server.
import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { KubeloopError, systemClock, toError } from "@kubeloop/core/base";
import type { GeneralNameParameters } from "pkijs";

/** A certificate with its key, both as PEM. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ServerNames {
  readonly commonName: string;
  /** DNS names and IP addresses the server is reached by. */
  readonly names: readonly string[];
}

/** Who a client certificate speaks for: Kubernetes reads the user from CN and the groups from O. */
export interface ClientIdentity {
  readonly user: string;
  readonly groups?: readonly string[];
}

export interface CertificateAuthority {
  readonly pair: CertificatePair;
  issueServer(server: ServerNames): Promise<CertificatePair>;
  issueClient(client: ClientIdentity): Promise<CertificatePair>;
}

/** Long enough for a state that is kept and started again. */
const validForMs = 365 * 24 * 60 * 60 * 1000;
const clockSkewMs = 60 * 60 * 1000;

const ecdsa = { name: "ECDSA", namedCurve: "P-256" } as const;
const oids = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectAltName: "2.5.29.17",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;
// Bits of KeyUsage, from the left: digitalSignature is bit 0, keyCertSign bit 5, cRLSign bit 6.
const mayAuthenticate = { byte: 0b1000_0000, unusedBits: 7 } as const;
const mayCertify = { byte: 0b1000_0110, unusedBits: 1 } as const;

export async function createAuthority(commonName: string): Promise<CertificateAuthority> {
  const subject = { commonName, organizations: [] };
  const keys = await createKeys();
  const signer: Signer = { subject, key: keys.privateKey };
  return issuerOf(await sign({ subject, keys, kind: { is: "authority" } }, signer), signer);
}

/**
 * The authority whose certificate and key were kept. Throws an Invalid error that says why if the two do not make an authority of ours; whether it
 * has expired is for the caller to ask.
 */
export async function authorityFromPair(pair: CertificatePair): Promise<CertificateAuthority> {
  try {
    const certificate = new X509Certificate(pair.certPem);
    if (!certificate.ca || !certificate.verify(certificate.publicKey)) throw new Error("it is no authority");
    const key = createPrivateKey(pair.keyPem);
    if (!certificate.checkPrivateKey(key)) throw new Error("its key belongs to another certificate");
    const commonName = /^CN=(.+)$/.exec(certificate.subject)?.[1];
    if (commonName === undefined) throw new Error(`its subject is ${JSON.stringify(certificate.subject)}`);
    const pkcs8 = key.export({ type: "pkcs8", format: "der" });
    const signingKey = await webcrypto.subtle.importKey("pkcs8", pkcs8, ecdsa, false, ["sign"]);
    return issuerOf(pair, { subject: { commonName, organizations: [] }, key: signingKey });
  } catch (cause) {
    const why = `the certificate authority cannot be used: ${toError(cause).message}`;
    throw new KubeloopError(why, { reason: "Invalid", retry: "never", cause });
  }
}

function issuerOf(pair: CertificatePair, signer: Signer): CertificateAuthority {
  const issue = async (subject: Subject, kind: Kind) => sign({ subject, keys: await createKeys(), kind }, signer);
  return {
    pair,
    issueServer: ({ commonName, names }) => issue({ commonName, organizations: [] }, { is: "server", names }),
    issueClient: ({ user, groups = [] }) => issue({ commonName: user, organizations: groups }, { is: "client" }),
  };
}

interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

type Kind =
  | { readonly is: "authority" }
  | { readonly is: "server"; readonly names: readonly string[] }
  | { readonly is: "client" };

interface Signer {
  readonly subject: Subject;
  readonly key: webcrypto.CryptoKey;
}

interface Wanted {
  readonly subject: Subject;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly kind: Kind;
}

const createKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);

async function sign(wanted: Wanted, signer: Signer): Promise<CertificatePair> {
  const { asn1, pki } = await loadAsn1();
  const certificate = new pki.Certificate();
  certificate.version = 2; // which X.509 calls v3
  // A serial number is a positive integer: its first bit is zero.
  const serial = webcrypto
    .getRandomValues(new Uint8Array(16))
    .map((byte, at) => (at === 0 ? (byte & 0x7f) | 0x40 : byte));
  certificate.serialNumber = new asn1.Integer({ valueHex: serial.buffer });
  certificate.subject = await nameOf(wanted.subject);
  certificate.issuer = await nameOf(signer.subject);
  certificate.notBefore.value = new Date(systemClock.now() - clockSkewMs);
  certificate.notAfter.value = new Date(systemClock.now() + validForMs);
  certificate.extensions = await extensionsOf(wanted.kind);
  const engine = new pki.CryptoEngine({ name: "node", crypto: webcrypto });
  await certificate.subjectPublicKeyInfo.importKey(wanted.keys.publicKey, engine);
  await certificate.sign(signer.key, "SHA-256", engine);
  return {
    certPem: toPem("CERTIFICATE", certificate.toSchema(true).toBER(false)),
    keyPem: toPem("PRIVATE KEY", await webcrypto.subtle.exportKey("pkcs8", wanted.keys.privateKey)),
  };
}

/** Built by hand and read back, because pkijs would print all parts as one, as if the order did not matter. */
async function nameOf(subject: Subject) {
  const { asn1, pki } = await loadAsn1();
  const part = (type: string, text: string) =>
    new asn1.Set({
      value: [
        new asn1.Sequence({
          value: [new asn1.ObjectIdentifier({ value: type }), new asn1.Utf8String({ value: text })],
        }),
      ],
    });
  const parts = [
    ...subject.organizations.map((organization) => part(oids.organization, organization)),
    part(oids.commonName, subject.commonName),
  ];
  return pki.RelativeDistinguishedNames.fromBER(new asn1.Sequence({ value: parts }).toBER());
}

async function extensionsOf(kind: Kind) {
  const { asn1, pki } = await loadAsn1();
  const extension = (extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }) =>
    new pki.Extension({ extnID, critical, extnValue: value.toBER() });
  const isAuthority = kind.is === "authority";
  const usage = isAuthority ? mayCertify : mayAuthenticate;
  const extensions = [
    extension(oids.basicConstraints, true, new pki.BasicConstraints({ cA: isAuthority }).toSchema()),
    extension(
      oids.keyUsage,
      true,
      new asn1.BitString({ valueHex: Uint8Array.of(usage.byte).buffer, unusedBits: usage.unusedBits }),
    ),
  ];
  if (isAuthority) return extensions;
  const purpose = kind.is === "server" ? oids.serverAuth : oids.clientAuth;
  extensions.push(extension(oids.extKeyUsage, false, new pki.ExtKeyUsage({ keyPurposes: [purpose] }).toSchema()));
  if (kind.is === "server") {
    const altNames = kind.names.map((name) => new pki.GeneralName(altNameOf(name, asn1)));
    extensions.push(extension(oids.subjectAltName, false, new pki.GeneralNames({ names: altNames }).toSchema()));
  }
  return extensions;
}

// The numbers of GeneralName's alternatives.
const dnsName = 2 as const;
const ipAddress = 7 as const;

function altNameOf(name: string, asn1: typeof import("asn1js")): GeneralNameParameters {
  if (!isIPv4(name) && !isIPv6(name)) return { type: dnsName, value: name };
  return { type: ipAddress, value: new asn1.OctetString({ valueHex: toAddressBytes(name).buffer }) };
}

/** The 4 or 16 bytes of an IP address in its text form (without a zone or an embedded IPv4 address). */
export function toAddressBytes(address: string): Uint8Array<ArrayBuffer> {
  if (isIPv4(address)) return Uint8Array.from(address.split("."), Number);
  const [head = "", tail] = address.split("::");
  const groupsOf = (text: string) => (text === "" ? [] : text.split(":"));
  const front = groupsOf(head);
  const back = groupsOf(tail ?? "");
  const groups = [...front, ...Array<string>(8 - front.length - back.length).fill("0"), ...back];
  return Uint8Array.from(
    groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]),
  );
}

/** Both libraries at once, on first use: 64 ms that a cluster found running would not have to pay. */
async function loadAsn1() {
  const [asn1, pki] = await Promise.all([import("asn1js"), import("pkijs")]);
  return { asn1, pki };
}

export function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
