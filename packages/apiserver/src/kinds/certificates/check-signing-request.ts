// What must hold of a request for a certificate, and what of its answers may change through which subresource.
import type { certificatesv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import type { ObjectPlaces } from "../shared/object-faults.ts";
import { checkSignerName } from "../shared/signer-names.ts";
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

export function checkSigningRequest(request: SigningRequest, at: ObjectPlaces, old?: SigningRequest): void {
  checkSpec(request.spec, at("spec"), old?.spec);
  const place = at("status");
  checkConditions(request.status?.conditions ?? [], place.at("conditions"), old?.status?.conditions ?? []);
  const { certificate } = request.status ?? {};
  const before = old?.status?.certificate;
  const isTouched = old === undefined || (certificate ?? "") !== (before ?? "");
  if (!isTouched || certificateFault(before) !== undefined) return;
  const fault = certificateFault(certificate);
  if (fault !== undefined) place.at("certificate").invalid("<certificate data>", fault);
}

export function checkAnswers(
  request: SigningRequest,
  at: ObjectPlaces,
  old: SigningRequest,
  subresource: Through,
): void {
  checkSigningRequest(request, at, old);
  const place = at("status").at("conditions");
  for (const type of lastingTypes) {
    if (ofType(request, type).length < ofType(old, type).length) {
      place.forbidden(`updates may not remove a condition of type "${type}"`);
    }
  }
  if (subresource !== "approval") checkNoApproval(request, place, old);
  const { certificate = "" } = request.status ?? {};
  const { certificate: before = "" } = old.status ?? {};
  if (certificate === before) return;
  const certificatePlace = at("status").at("certificate");
  if (subresource !== "status") certificatePlace.forbidden("updates may not set certificate content");
  else if (before !== "") certificatePlace.forbidden("updates may not modify existing certificate content");
}

function checkNoApproval(request: SigningRequest, place: FaultPlace, old: SigningRequest): void {
  for (const type of ["Approved", "Denied"]) {
    const now = ofType(request, type);
    const then = ofType(old, type);
    if (now.length > then.length) place.forbidden(`updates may not add a condition of type "${type}"`);
    else if (now.length === then.length && !deepEqual(now, then)) {
      place.forbidden(`updates may not modify a condition of type "${type}"`);
    }
  }
}

const ofType = ({ status }: SigningRequest, type: string) =>
  (status?.conditions ?? []).filter((condition) => condition.type === type);

function checkSpec(spec: Spec, place: FaultPlace, old: Spec | undefined): void {
  const fault = requestFault(spec.request ?? "");
  if (fault !== undefined) place.at("request").invalid(spec.request ?? null, fault);
  checkUsages(spec.usages ?? [], place.at("usages"), old?.usages ?? []);
  const signerPlace = place.at("signerName");
  if (spec.signerName === legacySigner && old?.signerName !== legacySigner) {
    signerPlace.invalid(spec.signerName, "the legacy signerName is not allowed via this API version");
  } else {
    checkSignerName(spec.signerName, signerPlace);
  }
  const { expirationSeconds: seconds } = spec;
  if (seconds !== undefined && seconds < shortestSeconds) {
    const why = `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`;
    place.at("expirationSeconds").invalid(seconds, why);
  }
}

function checkUsages(given: readonly string[], place: FaultPlace, old: readonly string[]): void {
  if (given.length === 0) place.required();
  if (old.every((usage) => usages.includes(usage))) {
    for (const [i, usage] of given.entries()) {
      if (!usages.includes(usage)) place.item(i).notSupported(usage, usages);
    }
  }
  if (hasTwice(old)) return;
  const seen = new Set<string>();
  for (const [i, usage] of given.entries()) {
    if (seen.has(usage)) place.item(i).duplicate(usage);
    seen.add(usage);
  }
}

const hasTwice = (texts: readonly string[]) => new Set(texts).size < texts.length;

function checkConditions(conditions: readonly Condition[], place: FaultPlace, old: readonly Condition[]): void {
  const oldTypes = new Set(old.map(({ type }) => type));
  const mayHaveBoth = oldTypes.has("Approved") && oldTypes.has("Denied");
  const mayHaveTwice = oldTypes.size < old.length;
  const before = new Set<string>();
  for (const [i, { type, status }] of conditions.entries()) {
    const itemPlace = place.item(i);
    if (isAbsent(type) && !oldTypes.has("")) itemPlace.at("type").required();
    const statuses = lastingTypes.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (isAbsent(status)) itemPlace.at("status").required();
    else if (!statuses.includes(status)) itemPlace.at("status").notSupported(status, statuses);
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite !== undefined && !mayHaveBoth && before.has(opposite)) {
      place.invalid(type, "Approved and Denied conditions are mutually exclusive");
    }
    if (before.has(type) && !mayHaveTwice) itemPlace.at("type").duplicate(type);
    before.add(type);
  }
}
