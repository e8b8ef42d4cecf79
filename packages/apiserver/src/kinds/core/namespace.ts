// Namespace: carries its name as a label, is held by `spec.finalizers` until its content is gone, and is Terminating from the moment its
// deletion was asked for.
import { type corev1, validateQualifiedName } from "@kubeloop/core/api";
import { namespaces } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { labelName } from "../shared/names.ts";
import { printAge } from "../shared/print-age.ts";
import { unsupportedField } from "../shared/unsupported-field.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Namespace = corev1.Namespace;

const kubernetes = "kubernetes";
const nameLabel = "kubernetes.io/metadata.name";
const standardFinalizers = [kubernetes, "orphan", "foregroundDeletion"];
export const namespaceRules: KindRules<Namespace> = {
  resource: namespaces,
  metadataOnUpdate: ["whole", "changes"],
  untouched: { finalize: [["status"]] },
  checkName: labelName,
  defaults(draft) {
    setNameLabel(draft);
    draft.status ??= {};
    if (isAbsent(draft.status.phase)) draft.status.phase = "Active";
  },
  prepareCreate(draft) {
    draft.status = { phase: "Active" };
    const { finalizers = [] } = draft.spec ?? {};
    if (!finalizers.includes(kubernetes)) draft.spec = { ...draft.spec, finalizers: [...finalizers, kubernetes] };
    // It may have got its name only now.
    setNameLabel(draft);
  },
  prepareUpdate(draft, old) {
    keepFinalizers(draft, old);
    setNameLabel(draft);
  },
  validate: (namespace) => collectFaults("spec", (fldPath) => checkFinalizers(namespace, fldPath, false)),
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        keepSpec(draft, old);
        setNameLabel(draft);
      },
      validateUpdate: (namespace) => collectFaults("status", (fldPath) => checkPhase(namespace, fldPath)),
    },
    finalize: {
      prepareUpdate(draft, old) {
        if (old.status === undefined) delete draft.status;
        else draft.status = old.status as Draft<corev1.NamespaceStatus>;
        setNameLabel(draft);
      },
      validateUpdate: (namespace) => collectFaults("spec", (fldPath) => checkFinalizers(namespace, fldPath, true)),
    },
  },
  deletion: {
    answersWithObject: true,
    isHeld: ({ spec }) => (spec?.finalizers ?? []).length > 0,
    mark(draft) {
      delete draft.metadata.deletionGracePeriodSeconds;
      draft.status = { ...draft.status, phase: "Terminating" };
    },
  },
  selectableFields: {
    names: ["status.phase"],
    hasNamespace: false,
    valuesOf: ({ status }) => ({ "status.phase": status?.phase ?? "" }),
    unknownText: unsupportedField,
  },
  printRow: ({ metadata, status }, { nowMs }) => [
    metadata.name,
    status?.phase ?? "",
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function setNameLabel({ metadata }: Draft<Namespace>): void {
  if (!isAbsent(metadata.name)) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
}

function keepFinalizers(draft: Draft<Namespace>, old: Namespace): void {
  const { finalizers: _sent, ...spec } = draft.spec ?? {};
  const held = old.spec?.finalizers;
  draft.spec = held === undefined ? spec : { ...spec, finalizers: [...held] };
}

function keepSpec(draft: Draft<Namespace>, old: Namespace): void {
  if (old.spec === undefined) delete draft.spec;
  else draft.spec = old.spec as Draft<corev1.NamespaceSpec>;
}

function checkFinalizers({ spec }: Namespace, specPath: ValidationPath, areNumbered: boolean): void {
  for (const [i, name] of (spec?.finalizers ?? []).entries()) {
    const finalizers = specPath.at("finalizers");
    const fldPath = areNumbered ? finalizers.item(i) : finalizers;
    fldPath.invalidFor(name, validateQualifiedName(name));
    if (name.includes("/") || standardFinalizers.includes(name)) continue;
    fldPath.invalid(name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

function checkPhase({ metadata, status }: Namespace, fldPath: ValidationPath): void {
  const phase = status?.phase ?? "";
  const isGoing = metadata.deletionTimestamp !== undefined;
  if (phase === (isGoing ? "Terminating" : "Active")) return;
  const why = isGoing
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  fldPath.at("Phase").invalid(phase, why);
}
