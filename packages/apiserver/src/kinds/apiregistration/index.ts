// `kinds/apiregistration`: API services. Served as objects; nothing is proxied.
import type { KindRules } from "../kind-rules.ts";
import { apiServiceRules } from "./api-service.ts";

export const apiregistrationRules: readonly KindRules[] = [apiServiceRules];
