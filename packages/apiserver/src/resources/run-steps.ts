// Carries a write through the server's steps, in their order.
import type { Write } from "../storage/storage.ts";
import type { PendingWrite } from "./write-steps.ts";

export async function mutateThroughSteps(write: PendingWrite): Promise<void> {
  for (const step of write.scope.server.writeSteps) await step.mutate?.(write);
}

/** What else must be written with it. */
export async function completeThroughSteps(write: PendingWrite): Promise<readonly Write[]> {
  const extra: Write[] = [];
  for (const step of write.scope.server.writeSteps) extra.push(...((await step.complete?.(write)) ?? []));
  return extra;
}
