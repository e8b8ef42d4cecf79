// What keeps the conformance suite from being run, as one sentence for whoever called it.
import { KubeloopError } from "@kubeloop/core/base";

export type ConformanceReason = "Usage" | "StartFailed" | "NoReport";

export class ConformanceError extends KubeloopError {
  constructor(message: string, options: { readonly reason: ConformanceReason; readonly cause?: unknown }) {
    super(message, { ...options, retry: "never" });
  }
}
