// What happens to a write between its preparation and the storage: admission, allocation of addresses, quota. Steps see the object as
// it would be stored; they may change it, refuse it, or bring further writes that happen together with it or not at all.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Draft } from "../kinds/kind-rules.ts";
import type { Write } from "../storage/storage.ts";
import type { RequestScope } from "./request-scope.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export interface PendingWrite {
  readonly scope: RequestScope;
  readonly operation: Operation;
  /** Undefined on delete. */
  readonly draft: Draft<KubernetesObject> | undefined;
  /** Undefined on create. */
  readonly old: KubernetesObject | undefined;
  readonly isDryRun: boolean;
}

export interface WriteStep {
  readonly name: string;
  /** Before preparation and validation: defaults from elsewhere. Throws a StatusError to refuse. */
  mutate?(write: PendingWrite): Promise<void>;
  /** After validation. Throws a StatusError to refuse; returns what else must be written. */
  complete?(write: PendingWrite): Promise<readonly Write[]>;
}
