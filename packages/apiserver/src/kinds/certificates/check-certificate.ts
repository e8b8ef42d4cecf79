// Certificates that were issued: a PEM text of certificates and nothing else.
import { X509Certificate } from "node:crypto";
import { quote } from "@kubeloop/core/api";
import { isAbsent } from "../shared/checks.ts";
import { pemBlocks } from "./pem-blocks.ts";

/** Undefined if they are right, or none. */
export function certificateFault(base64: string | undefined): string | undefined {
  if (isAbsent(base64)) return undefined;
  const blocks = pemBlocks(Buffer.from(base64, "base64").toString("latin1"));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const { type, hasHeaders, der } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (hasHeaders) return "no PEM block headers are permitted";
    if (der.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    if (!isCertificate(der)) return "x509: malformed certificate";
  }
  return undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}
