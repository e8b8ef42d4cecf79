// Who set which field, as far as creates, updates and patches go: the seam to `managed-fields/`, and the rule for a manager's name.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { WriteContext } from "./write-context.ts";

/** As asked for, else the program's name as its User-Agent begins. */
export function managerOf(asked: string, userAgent: string): string {
  if (asked !== "") return asked;
  const name = userAgent.split("/")[0] ?? "";
  const printable = [...name].filter((character) => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)).join("");
  return printable === "" ? "unknown" : [...printable].slice(0, 128).join("");
}

export interface RecordedWrite {
  readonly context: WriteContext;
  readonly draft: Draft<KubernetesObject>;
  readonly old: KubernetesObject | undefined;
  readonly manager: string;
}

export interface FieldManagers {
  /** Puts `metadata.managedFields` on the draft for this write. Returns a promise only where a conversion answers later. */
  record(write: RecordedWrite): Promise<void> | undefined;
  /** The same for what the server itself writes besides, of built-in kinds, which are converted without waiting. */
  recordBuiltIn(write: RecordedWrite): void;
}
