// What must hold of a request for a certificate, and what of its answers may change through which subresource.
import type { certificatesv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { isAbsent } from "../shared/checks.ts";
import type { ObjectPaths } from "../shared/object-faults.ts";
import { checkSignerName } from "../shared/signer-names.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { requestFault } from "./certificate-request.ts";
import { certificateFault } from "./check-certificate.ts";

type SigningRequest = certificatesv1.CertificateSigningRequest;
type Spec = certificatesv1.CertificateSigningRequestSpec;
type Condition = certificatesv1.CertificateSigningRequestCondition;

const shortestSeconds = 600;
const legacySigner = "kubernetes.io/legacy-unknown";
/** They are there or not; there is nothing false about them. */
const lastingTypes = ["Approved", "Denied", "Failed"];

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** The subresources through which a request is changed. */
export type Through = "object" | "status" | "approval";

export function checkSigningRequest(request: SigningRequest, at: ObjectPaths, old?: SigningRequest): void {
  checkSpec(request.spec, at("spec"), old?.spec);
  const fldPath = at("status");
  checkConditions(request.status?.conditions ?? [], fldPath.at("conditions"), old?.status?.conditions ?? []);
  const { certificate } = request.status ?? {};
  const before = old?.status?.certificate;
  const isTouched = old === undefined || (certificate ?? "") !== (before ?? "");
  if (!isTouched || certificateFault(before) !== undefined) return;
  const fault = certificateFault(certificate);
  if (fault !== undefined) fldPath.at("certificate").invalid("<certificate data>", fault);
}

export function checkAnswers(
  request: SigningRequest,
  at: ObjectPaths,
  old: SigningRequest,
  subresource: Through,
): void {
  checkSigningRequest(request, at, old);
  const fldPath = at("status").at("conditions");
  for (const type of lastingTypes) {
    if (ofType(request, type).length < ofType(old, type).length) {
      fldPath.forbidden(`updates may not remove a condition of type "${type}"`);
    }
  }
  if (subresource !== "approval") checkNoApproval(request, fldPath, old);
  const { certificate = "" } = request.status ?? {};
  const { certificate: before = "" } = old.status ?? {};
  if (certificate === before) return;
  const certificatePath = at("status").at("certificate");
  if (subresource !== "status") certificatePath.forbidden("updates may not set certificate content");
  else if (before !== "") certificatePath.forbidden("updates may not modify existing certificate content");
}

function checkNoApproval(request: SigningRequest, fldPath: ValidationPath, old: SigningRequest): void {
  for (const type of ["Approved", "Denied"]) {
    const now = ofType(request, type);
    const then = ofType(old, type);
    if (now.length > then.length) fldPath.forbidden(`updates may not add a condition of type "${type}"`);
    else if (now.length === then.length && !deepEqual(now, then)) {
      fldPath.forbidden(`updates may not modify a condition of type "${type}"`);
    }
  }
}

const ofType = ({ status }: SigningRequest, type: string) =>
  (status?.conditions ?? []).filter((condition) => condition.type === type);

function checkSpec(spec: Spec, fldPath: ValidationPath, old: Spec | undefined): void {
  const fault = requestFault(spec.request ?? "");
  if (fault !== undefined) fldPath.at("request").invalid(spec.request ?? null, fault);
  checkUsages(spec.usages ?? [], fldPath.at("usages"), old?.usages ?? []);
  const signerPath = fldPath.at("signerName");
  if (spec.signerName === legacySigner && old?.signerName !== legacySigner) {
    signerPath.invalid(spec.signerName, "the legacy signerName is not allowed via this API version");
  } else {
    checkSignerName(spec.signerName, signerPath);
  }
  const { expirationSeconds: seconds } = spec;
  if (seconds !== undefined && seconds < shortestSeconds) {
    const why = `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`;
    fldPath.at("expirationSeconds").invalid(seconds, why);
  }
}

function checkUsages(given: readonly string[], fldPath: ValidationPath, old: readonly string[]): void {
  if (given.length === 0) fldPath.required();
  if (old.every((usage) => usages.includes(usage))) {
    for (const [i, usage] of given.entries()) {
      if (!usages.includes(usage)) fldPath.item(i).notSupported(usage, usages);
    }
  }
  if (hasTwice(old)) return;
  const seen = new Set<string>();
  for (const [i, usage] of given.entries()) {
    if (seen.has(usage)) fldPath.item(i).duplicate(usage);
    seen.add(usage);
  }
}

const hasTwice = (texts: readonly string[]) => new Set(texts).size < texts.length;

function checkConditions(conditions: readonly Condition[], fldPath: ValidationPath, old: readonly Condition[]): void {
  const oldTypes = new Set(old.map(({ type }) => type));
  const mayHaveBoth = oldTypes.has("Approved") && oldTypes.has("Denied");
  const mayHaveTwice = oldTypes.size < old.length;
  const before = new Set<string>();
  for (const [i, { type, status }] of conditions.entries()) {
    const itemPath = fldPath.item(i);
    if (isAbsent(type) && !oldTypes.has("")) itemPath.at("type").required();
    const statuses = lastingTypes.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (isAbsent(status)) itemPath.at("status").required();
    else if (!statuses.includes(status)) itemPath.at("status").notSupported(status, statuses);
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite !== undefined && !mayHaveBoth && before.has(opposite)) {
      fldPath.invalid(type, "Approved and Denied conditions are mutually exclusive");
    }
    if (before.has(type) && !mayHaveTwice) itemPath.at("type").duplicate(type);
    before.add(type);
  }
}
