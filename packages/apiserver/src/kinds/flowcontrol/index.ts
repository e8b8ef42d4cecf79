// `kinds/flowcontrol`: who is served first. Served as objects; nothing here makes anybody wait.
import type { KindRules } from "../kind-rules.ts";
import { flowSchemaRules } from "./flow-schema.ts";
import { priorityLevelConfigurationRules } from "./priority-level-configuration.ts";

export const flowcontrolRules: readonly KindRules[] = [flowSchemaRules, priorityLevelConfigurationRules];
