// ResourceSlice: some of the devices of a driver's pool.
import { printTime, quote, type resourcev1 } from "@kubeloop/core/api";
import { resourceSlices } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { collectFaults } from "../shared/validation-path.ts";

type ResourceSlice = resourcev1.ResourceSlice;

export const resourceSliceRules: KindRules<ResourceSlice> = {
  resource: resourceSlices,
  generation: "spec",
  deletion: { answersWithObject: true },
  prepareCreate: (draft, { nowMs }) => prepare(draft, nowMs),
  prepareUpdate: (draft, _old, { nowMs }) => prepare(draft, nowMs),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      checkImmutable(spec.pool.name, old.spec.pool.name, fldPath.at("pool", "name"));
      checkImmutable(spec.driver, old.spec.driver, fldPath.at("driver"));
      checkImmutable(spec.nodeName, old.spec.nodeName, fldPath.at("nodeName"));
    }),
  warnings({ spec }) {
    if (spec.driver === spec.driver.toLowerCase()) return [];
    const why = `driver names should be lowercase; ${quote(spec.driver)} contains uppercase characters`;
    return [`spec.driver: ${why}`];
  },
  selectableFields: {
    names: ["spec.nodeName", "spec.driver"],
    valuesOf: ({ spec }) => ({ "spec.nodeName": spec.nodeName ?? "", "spec.driver": spec.driver }),
    hasNamespace: false,
    unknownText: (name) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
  },
  printRow: ({ metadata, spec }, { nowMs }) => [
    metadata.name,
    spec.nodeName ?? "",
    spec.driver,
    spec.pool.name,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

const listAttributes = ["bools", "ints", "strings", "versions"] as const;

function prepare({ spec }: Draft<ResourceSlice>, nowMs: number): void {
  for (const device of spec.devices ?? []) {
    // A default server does not keep these yet.
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const name of listAttributes) delete attribute[name];
    }
    // Since when a device should not be used is now, unless it is said.
    for (const taint of device.taints ?? []) taint.timeAdded ??= printTime(nowMs);
  }
}
