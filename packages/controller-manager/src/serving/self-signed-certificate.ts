// A certificate for a process that was given none: for localhost, 127.0.0.1 and the address it listens on, signed by itself, in memory, valid
// for a year. pkijs is imported on first use.
import { webcrypto } from "node:crypto";
import { isIPv4 } from "node:net";
import type { Clock } from "@kubeloop/core/base";
import type { CertificatePair } from "@kubeloop/core/client";

const validForMs = 365 * 24 * 3600 * 1000;
const clockSkewMs = 3600 * 1000;
const ecdsa = { name: "ECDSA", namedCurve: "P-256" } as const;

export interface SelfSignedCertificateOptions {
  readonly commonName: string;
  /** An IP address; of the unspecified ones nobody is a client. */
  readonly bindAddress: string;
  readonly clock: Clock;
}

export async function newSelfSignedCertificate({
  commonName,
  bindAddress,
  clock,
}: SelfSignedCertificateOptions): Promise<CertificatePair> {
  const [pki, asn1] = await Promise.all([import("pkijs"), import("asn1js")]);
  const engine = new pki.CryptoEngine({ name: "node", crypto: webcrypto });
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);
  const certificate = new pki.Certificate();
  certificate.version = 2; // which X.509 calls v3
  const serial = webcrypto.getRandomValues(new Uint8Array(16));
  serial[0] = 0x40;
  certificate.serialNumber = new asn1.Integer({ valueHex: serial.buffer });
  for (const name of [certificate.subject, certificate.issuer]) {
    const value = new asn1.Utf8String({ value: commonName });
    name.typesAndValues.push(new pki.AttributeTypeAndValue({ type: "2.5.4.3", value }));
  }
  certificate.notBefore.value = new Date(clock.now() - clockSkewMs);
  certificate.notAfter.value = new Date(clock.now() + validForMs);
  const names = new pki.GeneralNames({
    names: [
      new pki.GeneralName({ type: 2, value: "localhost" }),
      ...addressesOf(bindAddress).map(
        (bytes) => new pki.GeneralName({ type: 7, value: new asn1.OctetString({ valueHex: bytes.buffer }) }),
      ),
    ],
  });
  certificate.extensions = [
    new pki.Extension({
      extnID: "2.5.29.37",
      extnValue: new pki.ExtKeyUsage({ keyPurposes: ["1.3.6.1.5.5.7.3.1"] }).toSchema().toBER(),
    }),
    new pki.Extension({ extnID: "2.5.29.17", extnValue: names.toSchema().toBER() }),
  ];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, engine);
  await certificate.sign(keys.privateKey, "SHA-256", engine);
  return {
    certificatePem: toPem("CERTIFICATE", certificate.toSchema(true).toBER(false)),
    keyPem: toPem("PRIVATE KEY", await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)),
  };
}

function addressesOf(bindAddress: string): readonly Uint8Array<ArrayBuffer>[] {
  const loopback = Uint8Array.of(127, 0, 0, 1);
  const own = bytesOf(bindAddress);
  return own.every((byte) => byte === 0) || bindAddress === "127.0.0.1" ? [loopback] : [loopback, own];
}

/** Of an IPv6 address, "::" stands for as many zeros as are missing. */
function bytesOf(address: string): Uint8Array<ArrayBuffer> {
  if (isIPv4(address)) return Uint8Array.from(address.split("."), Number);
  const groupsOf = (part: string) =>
    part
      .split(":")
      .filter((group) => group !== "")
      .flatMap((group) => (isIPv4(group) ? wordsOf(group) : [Number.parseInt(group, 16)]));
  const [head = "", tail] = address.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const words = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}

const wordsOf = (ipv4: string): readonly number[] => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number);
  return [(a << 8) | b, (c << 8) | d];
};

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
