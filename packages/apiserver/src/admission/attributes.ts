// What an admission plugin is told about a request: upstream's admission.Attributes.
import type { GroupVersionKind, KubernetesObject } from "@kubeloop/core/api";
import type { Draft, RequestUser } from "../kinds/kind-rules.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

export interface AdmissionAttributes {
  readonly operation: Operation;
  /** Of `object`: for a subresource that has a kind of its own (Binding, Eviction, Scale, PodExecOptions), that kind. */
  readonly kind: GroupVersionKind;
  readonly resource: AdmissionResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Of a namespace, its own name. Empty for what is in none. */
  readonly namespace: string;
  /** Empty while a name that the server is to generate is not chosen. */
  readonly name: string;
  /** How it is to be written or deleted, as read from the request; nothing for CONNECT. */
  readonly options: object | undefined;
  readonly isDryRun: boolean;
  readonly user: RequestUser;
  /** In the version that is stored. Undefined on delete. `admit` may change it; to `validate` it is what will be stored. */
  readonly object: Draft<KubernetesObject> | undefined;
  /** Undefined on create and connect. Frozen. */
  readonly oldObject: KubernetesObject | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Sends a Warning header with the answer. */
  addWarning(text: string): void;
}
