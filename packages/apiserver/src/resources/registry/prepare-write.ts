// From what a client sent to what may be stored: system fields, status, generation, the kind's own preparation, and all checks. Pure
// but for the draft, which is changed in place; throws 422 with every fault at once.
import { type Fault, type KubernetesObject, newInvalid, printTime, StatusError } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Draft, KindRules, MetadataLook, RuleContext, SubresourceRules } from "../../kinds/kind-rules.ts";
import { subdomainName } from "../../kinds/shared/names.ts";
import { mostFaultsReported } from "../../kinds/shared/validation-path.ts";
import { unsetValue } from "../../wire/decode/index.ts";
import { changedMetadataFaults, type MetadataCheck, newMetadataFaults } from "./object-meta.ts";
import { spareOf } from "./rough-size.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WriteContext } from "./write-context.ts";

type AnyDraft = Draft<KubernetesObject>;
/** Fields beside metadata, which only the kind's own rules know. */
type Fields = Record<string, unknown>;

/** What the server alone says about a new object. */
export function fillSystemFields(
  draft: AnyDraft,
  { uid, nowMs }: { readonly uid: string; readonly nowMs: number },
): void {
  const { metadata } = draft;
  metadata.uid = uid;
  metadata.creationTimestamp = printTime(nowMs);
}

/** What a client may not say about a new object. */
export function wipeSystemFields(draft: AnyDraft): void {
  const { metadata } = draft;
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

export function prepareNew({ served, warnings }: WriteContext, draft: AnyDraft, context: RuleContext): void {
  const { rules } = served;
  if (hasStatus(served) && rules.keepsStatusOnCreate !== true) resetStatus(draft, served);
  if (tracksGeneration(served)) draft.metadata.generation = 1;
  rules.prepareCreate?.(draft, context);
  const { byItsKind, byEverybody } = newMetadataFaults(draft.metadata, metadataCheckOf(served, draft));
  const own = (served.version?.validate ?? rules.validate)?.(draft, context) ?? [];
  const first = served.version?.validateFirst?.(draft) ?? [];
  refuseFaults(draft, [...first, ...(looksAtNew(served) ? byItsKind : []), ...own]);
  // They find less than a kind's own, and only speak if nobody else did.
  refuseFaults(draft, byEverybody);
  warnings.addAll(rules.warnings?.(draft, undefined) ?? []);
}

/** An update of the whole object. `draft` has the version it is to replace. */
export function prepareChanged(
  { served, warnings }: WriteContext,
  draft: AnyDraft,
  old: KubernetesObject,
  context: RuleContext,
): void {
  const { rules } = served;
  setOrDelete(draft.metadata, "generation", old.metadata.generation);
  if (hasStatus(served)) setOrDelete(draft as unknown as Fields, "status", statusOf(old));
  rules.prepareUpdate?.(draft, old, context);
  raiseGeneration(served, draft, old);
  keepSystemFields(draft, old);
  const { validate, validateUpdate } = { ...rules, ...checksOf(served) };
  const own = validateUpdate === undefined ? (validate?.(draft, context) ?? []) : validateUpdate(draft, old, context);
  const looks = served.version?.metadata?.metadataOnUpdate ?? rules.metadataOnUpdate ?? atChanges;
  const check = { ...metadataCheckOf(served, draft), looks };
  const { byEverybody, byItsKind } = changedMetadataFaults(draft.metadata, old.metadata, check);
  const first = served.version?.validateFirst?.(draft) ?? [];
  refuseFaults(draft, [...byEverybody, ...first, ...byItsKind, ...own]);
  warnings.addAll(rules.warnings?.(draft, old) ?? []);
}

const atChanges: readonly MetadataLook[] = ["changes"];

function metadataCheckOf({ rules, version, resource }: ServedResource, draft: AnyDraft): MetadataCheck {
  const holder = version?.metadata?.checkName === undefined ? rules : version.metadata;
  return {
    namespaced: resource.namespaced,
    checkName: (name, asPrefix) => holder.checkName?.(name, asPrefix, draft) ?? subdomainName(name, asPrefix),
    finalizerNames: rules.finalizerNames ?? "qualified",
  };
}

function looksAtNew({ rules, version }: ServedResource): boolean {
  return (version?.metadata?.metadataOnCreate ?? rules.metadataOnCreate) !== "passed over";
}

/** A second version may check by rules of its own. */
function checksOf({ version }: ServedResource): Pick<KindRules, "validate" | "validateUpdate"> {
  return {
    ...(version?.validate === undefined ? {} : { validate: version.validate }),
    ...(version?.validateUpdate === undefined ? {} : { validateUpdate: version.validateUpdate }),
  };
}

/** An update through a subresource that shows the whole object (status, approval, resize …). */
export function prepareThroughSubresource(
  { served, warnings }: WriteContext,
  { draft, old, rules }: { draft: AnyDraft; old: KubernetesObject; rules: SubresourceRules<KubernetesObject> },
  context: RuleContext,
): void {
  setOrDelete(draft.metadata, "generation", old.metadata.generation);
  rules.prepareUpdate(draft, old, context);
  keepSystemFields(draft, old);
  const own = rules.validateUpdate?.(draft, old, context) ?? [];
  const check = { ...metadataCheckOf(served, draft), looks: rules.metadataOnUpdate ?? atChanges };
  const { byEverybody, byItsKind } = changedMetadataFaults(draft.metadata, old.metadata, check);
  refuseFaults(draft, [...byEverybody, ...byItsKind, ...own]);
  warnings.addAll(rules.warnings?.(draft, old) ?? []);
}

/** Status and metadata only: what most kinds do. */
export const plainStatusRules: SubresourceRules<KubernetesObject> = {
  prepareUpdate(draft, old) {
    const fields = draft as unknown as Fields;
    const oldFields = old as unknown as Fields;
    for (const name of new Set([...Object.keys(fields), ...Object.keys(oldFields)])) {
      if (name !== "status" && name !== "metadata") setOrDelete(fields, name, oldFields[name]);
    }
  },
};

export const hasStatus = ({ rules }: ServedResource): boolean =>
  rules.resource.subresources.some(({ name }) => name === "status");

const statusOf = (object: KubernetesObject) => (object as unknown as Fields)["status"];

/** As a Go server prints one that was never set. */
function resetStatus(draft: AnyDraft, { codec }: ServedResource): void {
  const unset = codec.schema === undefined ? undefined : unsetValue(codec.schema, "status");
  setOrDelete(draft as unknown as Fields, "status", unset);
}

const tracksGeneration = ({ rules }: ServedResource) => rules.generation !== undefined && rules.generation !== "none";

function raiseGeneration({ rules }: ServedResource, draft: AnyDraft, old: KubernetesObject): void {
  const { generation = "none" } = rules;
  if (generation === "none") return;
  const isRaised = generation === "spec" ? differsBeyondStatus(draft, old) : generation(draft, old);
  if (isRaised) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function differsBeyondStatus(draft: AnyDraft, old: KubernetesObject): boolean {
  const fields = draft as unknown as Fields;
  const oldFields = old as unknown as Fields;
  for (const name of new Set([...Object.keys(fields), ...Object.keys(oldFields)])) {
    if (name === "metadata" || name === "status") continue;
    if (!deepEqual(fields[name], oldFields[name])) return true;
  }
  return false;
}

/** What no update can change; a uid that was given stays, to be refused if it is another. */
function keepSystemFields(draft: AnyDraft, old: KubernetesObject): void {
  const { metadata } = draft;
  if ((metadata.uid ?? "") === "") setOrDelete(metadata, "uid", old.metadata.uid);
  if (old.metadata.creationTimestamp !== undefined) metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds === undefined) {
    setOrDelete(metadata, "deletionGracePeriodSeconds", old.metadata.deletionGracePeriodSeconds);
  }
}

function setOrDelete<T extends object, K extends keyof T>(holder: T, name: K, value: T[K] | undefined): void {
  if (value === undefined) delete holder[name];
  // Frozen parts of the old object may be shared: nobody changes a draft's depth after preparation.
  else holder[name] = value;
}

function refuseFaults(draft: AnyDraft, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const [group = ""] = draft.apiVersion.includes("/") ? draft.apiVersion.split("/") : [""];
  const reported = firstOf(faults);
  const error = newInvalid({ group, kind: draft.kind }, draft.metadata.name ?? "", { faults: reported });
  if (reported.length === faults.length) throw error;
  const message = `${error.status.message} and ${faults.length - reported.length} more`;
  throw new StatusError({ ...error.status, message });
}

const mostBytesReported = 4 * 1024 * 1024;

/** At least one. */
function firstOf(faults: readonly Fault[]): readonly Fault[] {
  let left = mostBytesReported;
  let count = 0;
  while (count < Math.min(faults.length, mostFaultsReported) && left > 0) {
    const { field, detail, value } = faults[count++] as Fault;
    left = spareOf(value, left - 3 * (field.length + detail.length));
  }
  return faults.slice(0, count);
}
