// The object that an action leaves behind, as a server without defaults and admission would answer it.
import { applyMergePatch } from "../api/index.ts";
import type { Action } from "../contract/index.ts";

export function objectAfter(action: Action): unknown {
  if (action.type === "edit") return applyMergePatch(action.before, action.patch);
  return "object" in action ? action.object : undefined;
}
