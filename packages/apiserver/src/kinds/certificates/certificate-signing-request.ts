// CertificateSigningRequest: somebody asks for a certificate, somebody approves or denies it, somebody signs it; each through a subresource of
// their own. What is asked for never changes, and who asked is what the server knows, not what they say.
import { type certificatesv1, printTime } from "@kubeloop/core/api";
import { certificateSigningRequests } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { collectObjectFaults } from "../shared/object-faults.ts";
import { printAge, printShortDuration } from "../shared/print-age.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import { checkAnswers, checkSigningRequest, type Through } from "./check-signing-request.ts";

type SigningRequest = certificatesv1.CertificateSigningRequest;
type Status = Draft<certificatesv1.CertificateSigningRequestStatus>;

/** Through each of its subresources. */
const looks = ["whole", "changes"] as const;

export const certificateSigningRequestRules: KindRules<SigningRequest> = {
  resource: certificateSigningRequests,
  metadataOnUpdate: looks,
  untouched: {
    "": [["spec"], ["status"]],
    status: [["spec"], ["status", "conditions"]],
    approval: [["spec"], ["status", "certificate"]],
  },
  // Its own rules let it have any name; everybody's do not.
  checkName: () => [],
  prepareCreate({ spec }, { user }) {
    for (const field of ["username", "uid", "groups", "extra"] as const) delete spec[field];
    if (user.name !== "") spec.username = user.name;
    if ((user.uid ?? "") !== "") spec.uid = user.uid as string;
    if (user.groups.length > 0) spec.groups = [...user.groups];
    if (Object.keys(user.extra).length > 0) spec.extra = structuredClone(user.extra) as Record<string, string[]>;
  },
  prepareUpdate(draft, old) {
    draft.spec = old.spec as Draft<SigningRequest["spec"]>;
  },
  validate: (request) => collectObjectFaults((at) => checkSigningRequest(request, at)),
  validateUpdate: checkThrough("object"),
  subresources: {
    status: {
      metadataOnUpdate: looks,
      prepareUpdate(draft, old, { nowMs }) {
        draft.spec = old.spec as Draft<SigningRequest["spec"]>;
        draft.status ??= {};
        for (const type of ["Approved", "Denied"]) keepConditions(draft.status, old.status, type);
        dateConditions(draft.status, old.status, nowMs);
      },
      validateUpdate: checkThrough("status"),
    },
    approval: {
      metadataOnUpdate: looks,
      prepareUpdate(draft, old, { nowMs }) {
        const { conditions } = draft.status ?? {};
        draft.spec = old.spec as Draft<SigningRequest["spec"]>;
        const status = structuredClone(old.status ?? {}) as Status;
        if (conditions === undefined) delete status.conditions;
        else status.conditions = conditions;
        dateConditions(status, old.status, nowMs);
        draft.status = status;
      },
      validateUpdate: checkThrough("approval"),
    },
  },
  selectableFields: {
    names: ["spec.signerName"],
    valuesOf: ({ spec }) => ({ "spec.signerName": spec.signerName }),
    hasNamespace: false,
    unknownText: unsupportedField,
  },
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    printAge(metadata.creationTimestamp, nowMs),
    spec.signerName || "<none>",
    spec.username ?? "",
    spec.expirationSeconds === undefined ? "<none>" : printShortDuration(spec.expirationSeconds * 1000),
    printStatus(status ?? {}),
  ],
};

function checkThrough(subresource: Through) {
  return (request: SigningRequest, old: SigningRequest) =>
    collectObjectFaults((at) => checkAnswers(request, at, old, subresource));
}

/** As they were, if there are as many as there were: their times cannot be made up through this subresource. */
function keepConditions(status: Status, old: SigningRequest["status"], type: string): void {
  const before = (old?.conditions ?? []).filter((condition) => condition.type === type);
  const fldPaths = (status.conditions ?? []).flatMap((condition, i) => (condition.type === type ? [i] : []));
  if (fldPaths.length !== before.length) return;
  for (const [i, fldPath] of fldPaths.entries()) {
    if (status.conditions !== undefined) status.conditions[fldPath] = structuredClone(before[i]) as never;
  }
}

/** Who gives no times gets them: now, or since when it has been so. */
function dateConditions(status: Status, old: SigningRequest["status"], nowMs: number): void {
  const now = printTime(nowMs);
  for (const condition of status.conditions ?? []) {
    const before = (old?.conditions ?? []).find(
      ({ type, status: held, lastTransitionTime }) =>
        type === condition.type && held === condition.status && (lastTransitionTime ?? null) !== null,
    );
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}

function printStatus({ conditions = [], certificate = "" }: certificatesv1.CertificateSigningRequestStatus): string {
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return [decision, ...(has("Failed") ? ["Failed"] : []), ...(certificate === "" ? [] : ["Issued"])].join(",");
}
