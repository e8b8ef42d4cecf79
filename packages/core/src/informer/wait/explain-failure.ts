// Explains why an informer cannot list or watch, in a few words for the operator, followed by the original message.
import { isForbidden, isNotFound, isTooManyRequests, isUnauthorized } from "../../api/index.ts";
import { KubeloopError } from "../../base/index.ts";

const headlines: readonly (readonly [headline: string, isIt: (error: Error) => boolean])[] = [
  ["forbidden", isForbidden],
  ["not logged in", isUnauthorized],
  ["no such resource on this server", isNotFound],
  ["server is too busy", isTooManyRequests],
  ["connection refused", (error) => hasReason(error, "ConnectionRefused")],
  ["unknown host", (error) => hasReason(error, "HostNotFound")],
];

export function explainFailure(error: Error): string {
  const headline = headlines.find(([, isIt]) => isIt(error))?.[0];
  return headline === undefined || error.message.includes(headline) ? error.message : `${headline}: ${error.message}`;
}

function hasReason(error: Error, reason: string): boolean {
  let current: unknown = error;
  // The number of steps is limited, because a chain of causes may be circular.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof KubeloopError && current.reason === reason) return true;
    current = current.cause;
  }
  return false;
}
