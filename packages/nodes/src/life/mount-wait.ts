// How a pod waits for volumes that cannot be mounted: it is tried again in growing intervals, and each failure is an event in the kubelet's words. Pure.
import type { LifeEvent } from "./life-event.ts";
import type { MountFault } from "./volumes.ts";

export interface MountWait {
  readonly retryMs: number;
  readonly delayMs: number;
  /** When the kubelet gives up waiting, says so, and begins again. */
  readonly timeoutMs: number;
}

const firstDelayMs = 500;
const longestDelayMs = 122_000;
const patienceMs = 123_000;

/** After an attempt to mount that has failed. */
export function afterMountFailure(
  before: MountWait | undefined,
  faults: readonly MountFault[],
  nowMs: number,
): { readonly wait: MountWait; readonly events: readonly LifeEvent[] } {
  if (before !== undefined && nowMs < before.retryMs) return { wait: before, events: [] };
  const delayMs = before === undefined ? firstDelayMs : Math.min(before.delayMs * 2, longestDelayMs);
  const isTooLate = before !== undefined && nowMs >= before.timeoutMs;
  const timeoutMs = before === undefined || isTooLate ? nowMs + patienceMs : before.timeoutMs;
  const messages = faults.map(({ volume, message }) => `MountVolume.SetUp failed for volume "${volume}" : ${message}`);
  if (isTooLate) {
    const names = faults.map(({ volume }) => volume).join(" ");
    const rest = "unattached volumes=[], failed to process volumes=[]: context deadline exceeded";
    messages.push(`Unable to attach or mount volumes: unmounted volumes=[${names}], ${rest}`);
  }
  return {
    wait: { retryMs: Math.min(nowMs + delayMs, timeoutMs), delayMs, timeoutMs },
    events: messages.map((message) => ({ type: "Warning", reason: "FailedMount", message })),
  };
}
