// `kinds/networking`: traffic from outside, between pods, and the addresses of services.
import type { KindRules } from "../kind-rules.ts";
import { ingressRules } from "./ingress.ts";
import { ingressClassRules } from "./ingress-class.ts";
import { ipAddressRules } from "./ip-address.ts";
import { networkPolicyRules } from "./network-policy.ts";
import { serviceCidrRules } from "./service-cidr.ts";

export const networkingRules: readonly KindRules[] = [
  ingressClassRules,
  ingressRules,
  ipAddressRules,
  networkPolicyRules,
  serviceCidrRules,
];
