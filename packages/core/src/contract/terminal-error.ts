// A failure that trying again cannot mend: a spec nobody can fulfil. The key rests until something wakes it; its failures so far
// are not forgotten.
import { KubeloopError } from "../base/index.ts";

export class TerminalError extends KubeloopError {
  constructor(message: string, cause?: unknown) {
    super(message, { reason: "Terminal", retry: "never", cause });
  }
}

/** Also when it was thrown on as another's cause. */
export function isTerminal(error: unknown): boolean {
  let current = error;
  // Bounded, because a chain of causes may be a ring.
  for (let depth = 0; depth < 16 && current instanceof Error; depth++) {
    if (current instanceof TerminalError) return true;
    current = current.cause;
  }
  return false;
}
