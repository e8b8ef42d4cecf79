// `kinds/policy`: what may be done to pods that others depend on.
import type { KindRules } from "../kind-rules.ts";
import { podDisruptionBudgetRules } from "./pod-disruption-budget.ts";

export const policyRules: readonly KindRules[] = [podDisruptionBudgetRules];
