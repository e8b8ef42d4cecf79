// VolumeAttributesClass: properties of volumes that a driver can change while they are used.
import type { storagev1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { volumeAttributesClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { printAge } from "../shared/print-age.ts";
import { checkParameters, checkProvisioner } from "./check-class.ts";

type VolumeAttributesClass = storagev1.VolumeAttributesClass;

export const volumeAttributesClassRules: KindRules<VolumeAttributesClass> = {
  resource: volumeAttributesClasses,
  metadataOnUpdate: ["changes", "whole"],
  deletion: { answersWithObject: true },
  validate: (object) => collectObjectFaults((at) => checkClass(object, at)),
  validateUpdate: (object, old) =>
    collectObjectFaults((at) => {
      for (const field of ["driverName", "parameters"] as const) {
        if (!deepEqual(object[field], old[field])) at(field).forbidden(`updates to ${field} are forbidden.`);
      }
      checkClass(object, at);
    }),
  printRow: ({ metadata, driverName }, { nowMs }) => [
    metadata.name,
    driverName,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkClass({ driverName, parameters }: VolumeAttributesClass, at: ObjectPaths): void {
  checkProvisioner(driverName, at("driverName"));
  checkParameters(parameters, at("parameters"), { mayBeEmpty: false });
}
