// `kinds/discovery`: endpoint slices.
import type { KindRules } from "../kind-rules.ts";
import { endpointSliceRules } from "./endpoint-slice.ts";

export const discoveryRules: readonly KindRules[] = [endpointSliceRules];
