// ControllerRevisions: what a template once was. It is written once.
import { type appsv1, controllerOf, parseGroupVersion, printGroupKind } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { controllerRevisions } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { printAge } from "../shared/print-age.ts";

type ControllerRevision = appsv1.ControllerRevision;

export const controllerRevisionRules: KindRules<ControllerRevision> = {
  resource: controllerRevisions,
  metadataOnUpdate: ["changes", "whole"],
  validate: ({ revision, data }) =>
    collectFaults("revision", (place) => {
      checkNonNegative(revision, place);
      checkData(data, place.beside("data"));
    }),
  validateUpdate: ({ revision, data }, old) =>
    collectFaults("revision", (place) => {
      checkNonNegative(revision, place);
      if (!deepEqual(data, old.data)) place.beside("data").invalid(data ?? null, "field is immutable");
    }),
  printRow: (object, { nowMs }) => [
    object.metadata.name,
    printController(object),
    object.revision ?? 0,
    printAge(object.metadata.creationTimestamp, nowMs),
  ],
};

function checkData(data: unknown, place: FaultPlace): void {
  if (data === undefined || data === null) place.required("data is mandatory");
  else if (typeof data !== "object" || Array.isArray(data)) place.required("data must be a valid JSON object");
}

function printController(object: ControllerRevision): string {
  const controller = controllerOf(object);
  if (controller === undefined) return "<none>";
  const { group } = parseGroupVersion(controller.apiVersion);
  return `${printGroupKind({ group, kind: controller.kind }).toLowerCase()}/${controller.name}`;
}
