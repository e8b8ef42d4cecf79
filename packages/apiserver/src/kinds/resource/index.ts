// `kinds/resource`: devices and claims on them. Their parts are held to their schema; expressions are not looked into.
import type { KindRules } from "../kind-rules.ts";
import { deviceClassRules } from "./device-class.ts";
import { resourceClaimRules } from "./resource-claim.ts";
import { resourceClaimTemplateRules } from "./resource-claim-template.ts";
import { resourceSliceRules } from "./resource-slice.ts";

export const resourceRules: readonly KindRules[] = [
  deviceClassRules,
  resourceClaimRules,
  resourceClaimTemplateRules,
  resourceSliceRules,
];
