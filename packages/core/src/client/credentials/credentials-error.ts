// Errors of credentials. Messages never contain a token, a key or a part of the file that contains it.
import { KubeloopError } from "../../base/index.ts";

/**
 * `Unreadable`: a file could not be read. `Invalid`: a file or a value cannot be used. `PluginMissing`, `PluginFailed`: an exec
 * plugin is not installed, or failed.
 */
export type CredentialsErrorReason = "Unreadable" | "Invalid" | "PluginMissing" | "PluginFailed";

export class CredentialsError extends KubeloopError {
  constructor(message: string, options: { readonly reason: CredentialsErrorReason; readonly cause?: unknown }) {
    super(message, options);
  }
}
