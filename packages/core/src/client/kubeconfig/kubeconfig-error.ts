// Everything that is wrong with a configuration, said at once: which file, which field, what.
import { KubeloopError } from "../../base/index.ts";
import type { FieldFault } from "../credentials/decode-fields.ts";

export interface KubeconfigFault extends FieldFault {
  /** Undefined where the fault is in what the caller asked for. */
  readonly file?: string;
}

/** `NotFound`: no configuration anywhere. `Invalid`: there is one, and it cannot be used. */
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
