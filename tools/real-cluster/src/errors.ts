// The one error of this tool. Its `reason` says what a caller can do about it; its message is written for the person in
// front of the terminal and holds the last lines of a component's log where there is one.
import { KubeloopError } from "@kubeloop/core/base";

export type RealClusterReason =
  /** No usable program was found, and none was built. */
  | "BinariesMissing"
  /** Go refused to build the pinned programs. */
  | "BuildFailed"
  /** A component ended, or was not ready in time. */
  | "StartFailed"
  /** etcd refused what was asked of it. */
  | "EtcdRefused"
  /** The caller asked for something this cluster does not have. */
  | "Unknown";

export class RealClusterError extends KubeloopError {
  constructor(message: string, options: { readonly reason: RealClusterReason; readonly cause?: unknown }) {
    super(message, { ...options, retry: "never" });
  }
}

/** Whether an error of the operating system has one of these codes (`ENOENT`, `EEXIST` …). */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
