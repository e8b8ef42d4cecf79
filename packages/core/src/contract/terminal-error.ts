// An error that a retry cannot fix, such as an invalid spec. The key is not requeued until something else adds it. Its failure count is kept,
// so that later backoff continues from there.
import { KubeloopError } from "../base/index.ts";

export class TerminalError extends KubeloopError {
  constructor(message: string, cause?: unknown) {
    super(message, { reason: "Terminal", retry: "never", cause });
  }
}

/** True also if a TerminalError is in the chain of causes. */
export function isTerminal(error: unknown): boolean {
  let current = error;
  // The depth is limited, because a chain of causes may be a cycle.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof TerminalError) return true;
    current = current.cause;
  }
  return false;
}
