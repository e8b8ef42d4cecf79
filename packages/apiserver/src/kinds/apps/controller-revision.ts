// ControllerRevisions: what a template once was. It is written once.
import { type appsv1, controllerOf, parseGroupVersion, printGroupKind } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { controllerRevisions } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type ControllerRevision = appsv1.ControllerRevision;

export const controllerRevisionRules: KindRules<ControllerRevision> = {
  resource: controllerRevisions,
  metadataOnUpdate: ["changes", "whole"],
  validate: ({ revision, data }) =>
    collectFaults("revision", (fldPath) => {
      checkNonNegative(revision, fldPath);
      checkData(data, fldPath.beside("data"));
    }),
  validateUpdate: ({ revision, data }, old) =>
    collectFaults("revision", (fldPath) => {
      checkNonNegative(revision, fldPath);
      if (!deepEqual(data, old.data)) fldPath.beside("data").invalid(data ?? null, "field is immutable");
    }),
  printRow: (object, { nowMs }) => [
    object.metadata.name,
    printController(object),
    object.revision ?? 0,
    printAge(object.metadata.creationTimestamp, nowMs),
  ],
};

function checkData(data: unknown, fldPath: ValidationPath): void {
  if (data === undefined || data === null) fldPath.required("data is mandatory");
  else if (typeof data !== "object" || Array.isArray(data)) fldPath.required("data must be a valid JSON object");
}

function printController(object: ControllerRevision): string {
  const controller = controllerOf(object);
  if (controller === undefined) return "<none>";
  const { group } = parseGroupVersion(controller.apiVersion);
  return `${printGroupKind({ group, kind: controller.kind }).toLowerCase()}/${controller.name}`;
}
