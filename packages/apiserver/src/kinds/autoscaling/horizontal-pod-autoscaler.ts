// HorizontalPodAutoscaler: how many pods something may have, and by what that is decided. Stored as autoscaling/v2.
import type { autoscalingv2 } from "@kubeloop/core/api";
import { horizontalPodAutoscalers } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkAutoscalerSpec } from "./check-autoscaler.ts";
import { setAutoscalerDefaults } from "./defaults.ts";
import { firstVersion } from "./first-version.ts";
import { dropCarriedAnnotations } from "./first-version-annotations.ts";
import { printAutoscaler } from "./print-autoscaler.ts";

export const horizontalPodAutoscalerRules: KindRules<autoscalingv2.HorizontalPodAutoscaler> = {
  resource: horizontalPodAutoscalers,
  otherVersions: [firstVersion],
  defaults({ metadata, spec }) {
    dropCarriedAnnotations(metadata);
    setAutoscalerDefaults(spec);
  },
  prepareCreate(draft) {
    draft.status = { desiredReplicas: 0, currentMetrics: null } as unknown as typeof draft.status & object;
  },
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkAutoscalerSpec(spec, fldPath)),
  validateUpdate: ({ spec }, old) => collectFaults("spec", (fldPath) => checkAutoscalerSpec(spec, fldPath, old.spec)),
  subresources: {
    status: {
      prepareUpdate: keepAllButStatus,
      validateUpdate: ({ status }) =>
        collectFaults("status", (fldPath) => {
          checkNonNegative(status?.currentReplicas, fldPath.at("currentReplicas"));
          checkNonNegative(status?.desiredReplicas, fldPath.at("desiredReplicas"));
        }),
    },
  },
  printRow: printAutoscaler,
};
