// `kinds`: what is particular to each kind, one folder per group. Kinds that are not here get the structural checks of their schema only.

import { admissionregistrationRules } from "./admissionregistration/index.ts";
import { apiextensionsRules } from "./apiextensions/index.ts";
import { apiregistrationRules } from "./apiregistration/index.ts";
import { appsRules } from "./apps/index.ts";
import { autoscalingRules } from "./autoscaling/index.ts";
import { batchRules } from "./batch/index.ts";
import { certificatesRules } from "./certificates/index.ts";
import { coordinationRules } from "./coordination/index.ts";
import { coreRules } from "./core/index.ts";
import { discoveryRules } from "./discovery/index.ts";
import { flowcontrolRules } from "./flowcontrol/index.ts";
import type { KindRules } from "./kind-rules.ts";
import { networkingRules } from "./networking/index.ts";
import { nodeRules } from "./node/index.ts";
import { policyRules } from "./policy/index.ts";
import { rbacRules } from "./rbac/index.ts";
import { resourceRules } from "./resource/index.ts";
import { schedulingRules } from "./scheduling/index.ts";
import { storageRules } from "./storage/index.ts";

export const allRules: readonly KindRules[] = [
  ...coreRules,
  ...appsRules,
  ...batchRules,
  ...networkingRules,
  ...rbacRules,
  ...policyRules,
  ...coordinationRules,
  ...autoscalingRules,
  ...storageRules,
  ...schedulingRules,
  ...nodeRules,
  ...discoveryRules,
  ...certificatesRules,
  ...flowcontrolRules,
  ...apiregistrationRules,
  ...resourceRules,
  ...admissionregistrationRules,
  ...apiextensionsRules,
];
