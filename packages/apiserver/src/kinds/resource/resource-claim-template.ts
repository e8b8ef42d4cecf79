// ResourceClaimTemplate: claims that are made for each pod. It never changes.
import type { resourcev1 } from "@kubeloop/core/api";
import { resourceClaimTemplates } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { setClaimDefaults } from "./claim-defaults.ts";

export const resourceClaimTemplateRules: KindRules<resourcev1.ResourceClaimTemplate> = {
  resource: resourceClaimTemplates,
  metadataOnUpdate: ["whole", "changes"],
  deletion: { answersWithObject: true },
  defaults: ({ spec }) => setClaimDefaults(spec?.spec),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) =>
      checkImmutable(spec, old.spec, fldPath, "io.k8s.api.resource.v1.ResourceClaimTemplateSpec"),
    ),
  printRow: ({ metadata }, { nowMs }) => [metadata.name, printAge(metadata.creationTimestamp, nowMs)],
};
