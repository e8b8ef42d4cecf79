// What goes wrong with credentials. Messages never hold a token, a key or a piece of the file they stood in.
import { KubeloopError } from "../../base/index.ts";

/**
 * `Unreadable`: a file could not be read. `Invalid`: what was read cannot be used. `PluginMissing`, `PluginFailed`: an exec
 * plugin is not installed, or did not do its work.
 */
export type CredentialsErrorReason = "Unreadable" | "Invalid" | "PluginMissing" | "PluginFailed";

export class CredentialsError extends KubeloopError {
  constructor(message: string, options: { readonly reason: CredentialsErrorReason; readonly cause?: unknown }) {
    super(message, options);
  }
}
