// StorageClass: how volumes that are asked for under this name come to be.
import { childPath, type corev1, fieldPath, itemPath, type storagev1 } from "@kubeloop/core/api";
import { storageClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { checkLabelName } from "../shared/labels.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { oldNodeLabelWarnings } from "../shared/old-node-labels.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { mostFaultsReported, type ValidationPath } from "../shared/validation-path.ts";
import { checkParameters, checkProvisioner } from "./check-class.ts";

type StorageClass = storagev1.StorageClass;

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const storageClassRules: KindRules<StorageClass> = {
  resource: storageClasses,
  metadataOnUpdate: ["whole", "changes"],
  deletion: { answersWithObject: true },
  defaults(draft) {
    draft.reclaimPolicy ??= "Delete";
    draft.volumeBindingMode ??= "Immediate";
  },
  validate: (object) => collectObjectFaults((at) => checkStorageClass(object, at)),
  validateUpdate: (object, old) =>
    collectObjectFaults((at) => {
      checkStorageClass(object, at);
      for (const field of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
        checkImmutable(object[field], old[field], at(field));
      }
    }),
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key }, j) => {
        const terms = childPath(itemPath(fieldPath("allowedTopologies"), i), "matchLabelExpressions");
        return oldNodeLabelWarnings(key, childPath(itemPath(terms, j), "key"));
      }),
    ),
  printRow: ({ metadata, provisioner, reclaimPolicy, volumeBindingMode, allowVolumeExpansion }, { nowMs }) => [
    defaultAnnotations.some((name) => own(metadata.annotations, name) === "true")
      ? `${metadata.name} (default)`
      : metadata.name,
    provisioner,
    reclaimPolicy ?? "Delete",
    volumeBindingMode ?? "Immediate",
    allowVolumeExpansion ?? false,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkStorageClass(object: StorageClass, at: ObjectPaths): void {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
  checkProvisioner(provisioner, at("provisioner"));
  checkParameters(parameters, at("parameters"), { mayBeEmpty: true });
  if (!isAbsent(reclaimPolicy)) checkOptionalChoice(reclaimPolicy, at("reclaimPolicy"), ["Delete", "Retain"]);
  const modePath = at("volumeBindingMode");
  if (volumeBindingMode === undefined) modePath.required();
  else checkOptionalChoice(volumeBindingMode, modePath, ["Immediate", "WaitForFirstConsumer"]);
  checkTopologies(allowedTopologies, at("allowedTopologies"));
}

/** More than are reported to anybody: the terms of one body could be the same a million million times. */
const enoughFaults = 2 * mostFaultsReported;

function checkTopologies(terms: readonly corev1.TopologySelectorTerm[], fldPath: ValidationPath): void {
  // Upstream's oddity: it begins with as many terms of nothing as there are terms, and tells each that is the same.
  const seen = new Map([[keyOf(new Map()), terms.length]]);
  for (const [i, { matchLabelExpressions: expressions = [] }] of terms.entries()) {
    const termPath = fldPath.item(i).at("matchLabelExpressions");
    const values = new Map<string, readonly string[]>();
    for (const [j, expression] of expressions.entries()) {
      checkExpression(expression, termPath.item(j));
      if (values.has(expression.key)) termPath.item(j).at("key").duplicate(expression.key);
      values.set(expression.key, [...new Set(expression.values ?? [])].toSorted());
    }
    const key = keyOf(values);
    const same = seen.get(key) ?? 0;
    for (let reported = 0; reported < same && fldPath.faultCount < enoughFaults; reported++) termPath.duplicate("");
    seen.set(key, same + 1);
  }
}

const keyOf = (values: ReadonlyMap<string, readonly string[]>): string =>
  JSON.stringify([...values].toSorted(([a], [b]) => (a < b ? -1 : 1)));

function checkExpression({ key, values }: corev1.TopologySelectorLabelRequirement, fldPath: ValidationPath): void {
  const valuesPath = fldPath.at("values");
  const given = values ?? [];
  if (given.length === 0) valuesPath.required();
  for (const [i, value] of given.entries()) {
    if (given.indexOf(value) !== i) valuesPath.item(i).duplicate(value);
  }
  checkLabelName(key, fldPath.at("key"));
}
