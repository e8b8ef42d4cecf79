// What differs between two parts of a pod, reported in the server's own form.
import { internalForm } from "../../shared/internal-form.ts";
import { unifiedDiff } from "../../shared/unified-diff.ts";

/** `type` is the Go name of the parts' type. */
export function internalDiff(before: unknown, after: unknown, type: string): string {
  return unifiedDiff(printInternal(before, type), printInternal(after, type));
}

/** As Go prints JSON, with what HTML would misread escaped. */
function printInternal(part: unknown, type: string): string {
  const json = JSON.stringify(internalForm(part, type), null, 1);
  return json.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
