// `kinds/admissionregistration`: who has a say in what is written. Kept and checked; asking them comes with admission.
import type { KindRules } from "../kind-rules.ts";
import { mutatingAdmissionPolicyRules } from "./mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBindingRules, validatingAdmissionPolicyBindingRules } from "./policy-bindings.ts";
import { validatingAdmissionPolicyRules } from "./validating-admission-policy.ts";
import { mutatingWebhookConfigurationRules, validatingWebhookConfigurationRules } from "./webhook-configurations.ts";

export const admissionregistrationRules: readonly KindRules[] = [
  mutatingAdmissionPolicyBindingRules,
  mutatingAdmissionPolicyRules,
  mutatingWebhookConfigurationRules,
  validatingAdmissionPolicyBindingRules,
  validatingAdmissionPolicyRules,
  validatingWebhookConfigurationRules,
];
