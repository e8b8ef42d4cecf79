// All faults of a configuration in one error: the file, the field and the message of each.
import { KubeloopError } from "../../base/index.ts";
import type { FieldFault } from "../credentials/decode-fields.ts";

export interface KubeconfigFault extends FieldFault {
  /** Undefined if the fault is in the caller's options. */
  readonly file?: string;
}

/** `NotFound`: there is no configuration. `Invalid`: there is one, but it cannot be used. */
export class KubeconfigError extends KubeloopError {
  readonly faults: readonly KubeconfigFault[];

  constructor(faults: readonly KubeconfigFault[], reason: "NotFound" | "Invalid" = "Invalid") {
    super(faults.map(printFault).join("\n"), { reason, retry: "never" });
    this.faults = faults;
  }
}

function printFault({ file, path, message }: KubeconfigFault): string {
  return [file, path, message].filter((part) => part !== undefined && part !== "").join(": ");
}
