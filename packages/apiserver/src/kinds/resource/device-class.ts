// DeviceClass: devices that can be asked for under one name.
import type { resourcev1 } from "@kubeloop/core/api";
import { deviceClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { generatedSubdomainName } from "../shared/names.ts";
import { printAge } from "../shared/print-age.ts";

export const deviceClassRules: KindRules<resourcev1.DeviceClass> = {
  resource: deviceClasses,
  checkName: generatedSubdomainName,
  metadataOnUpdate: ["whole", "changes"],
  generation: "spec",
  deletion: { answersWithObject: true },
  printRow: ({ metadata }, { nowMs }) => [metadata.name, printAge(metadata.creationTimestamp, nowMs)],
};
