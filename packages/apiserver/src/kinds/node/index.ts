// `kinds/node`: runtime classes.
import type { KindRules } from "../kind-rules.ts";
import { runtimeClassRules } from "./runtime-class.ts";

export const nodeRules: readonly KindRules[] = [runtimeClassRules];
