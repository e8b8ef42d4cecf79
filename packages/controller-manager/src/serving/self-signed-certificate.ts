// A certificate for a process that was given none: for localhost and 127.0.0.1, signed by itself, in memory, valid for a year. pkijs is
// imported on first use.
import { webcrypto } from "node:crypto";
import type { Clock } from "@kubeloop/core/base";
import type { CertificatePair } from "@kubeloop/core/client";

const validForMs = 365 * 24 * 3600 * 1000;
const clockSkewMs = 3600 * 1000;
const ecdsa = { name: "ECDSA", namedCurve: "P-256" } as const;

export async function newSelfSignedCertificate(commonName: string, clock: Clock): Promise<CertificatePair> {
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
      new pki.GeneralName({ type: 7, value: new asn1.OctetString({ valueHex: Uint8Array.of(127, 0, 0, 1).buffer }) }),
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

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
