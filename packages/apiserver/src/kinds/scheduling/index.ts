// `kinds/scheduling`: priority classes.
import type { KindRules } from "../kind-rules.ts";
import { priorityClassRules } from "./priority-class.ts";

export const schedulingRules: readonly KindRules[] = [priorityClassRules];
