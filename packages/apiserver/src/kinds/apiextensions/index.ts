// `kinds/apiextensions`: definitions of custom resources.
import type { KindRules } from "../kind-rules.ts";
import { customResourceDefinitionRules } from "./custom-resource-definition.ts";

export const apiextensionsRules: readonly KindRules[] = [customResourceDefinitionRules];
