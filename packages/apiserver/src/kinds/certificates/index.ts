// `kinds/certificates`: requests for certificates.
import type { KindRules } from "../kind-rules.ts";
import { certificateSigningRequestRules } from "./certificate-signing-request.ts";

export const certificatesRules: readonly KindRules[] = [certificateSigningRequestRules];
