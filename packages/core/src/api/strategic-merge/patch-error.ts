// The errors of a strategic merge. The reason is that of the API server's response: `BadRequest` for a
// malformed patch, `Invalid` for one that does not fit the object, `UnsupportedMediaType` for a kind without a
// schema, `Conflict` from a three-way merge that must not overwrite. (For most `Invalid` ones upstream's server responds with
// 500, because it does not recognise its own error.)
import { KubeloopError } from "../../base/errors.ts";
import { type PathPart, printValuePath } from "../schema.ts";

export type StrategicMergeReason = "BadRequest" | "Invalid" | "UnsupportedMediaType" | "Conflict";

export class StrategicMergeError extends KubeloopError {
  declare readonly reason: StrategicMergeReason;
  /** The path in the object, as `spec.containers[0]`; empty for the root. */
  readonly path: string;

  constructor(reason: StrategicMergeReason, path: readonly PathPart[], fault: string) {
    const printed = printValuePath(path);
    super(printed === "" ? fault : `${printed}: ${fault}`, { reason, retry: "never" });
    this.path = printed;
  }
}
