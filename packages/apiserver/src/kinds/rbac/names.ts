// Roles and bindings are called whatever a path can hold ("system:node"); the beginning of a name is held to the same as a whole one.
import { validatePathSegmentName } from "@kubeloop/core/api";
import type { NameCheck } from "../kind-rules.ts";

export const rbacName: NameCheck = (name) => validatePathSegmentName(name);
