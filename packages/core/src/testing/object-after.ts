// Returns the object after an action, as a server without defaults and without admission would return it.
import { applyMergePatch } from "../api/index.ts";
import type { Action } from "../contract/index.ts";

export function objectAfter(action: Action): unknown {
  if (action.type === "edit") return applyMergePatch(action.before, action.patch);
  return "object" in action ? action.object : undefined;
}
