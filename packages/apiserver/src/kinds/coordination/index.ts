// `kinds/coordination`: leases.
import type { KindRules } from "../kind-rules.ts";
import { leaseRules } from "./lease.ts";

export const coordinationRules: readonly KindRules[] = [leaseRules];
