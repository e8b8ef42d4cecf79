// What a verb has to say, before anybody thought of bytes. `respond.ts` gives it the form the client asked for.
import type { ApiResponse, KubernetesObject, metav1, StatusError } from "@kubeloop/core/api";
import { deepFreeze } from "@kubeloop/core/base";
import type { KindCodec } from "./kind-codec.ts";
import type { Presentation } from "./presentation.ts";

export type Answer =
  /** One object, as stored. */
  | {
      readonly kind: "object";
      readonly code: number;
      readonly object: KubernetesObject;
      readonly presentation: Presentation;
    }
  | { readonly kind: "list"; readonly list: ListAnswer; readonly presentation: Presentation }
  | { readonly kind: "watch"; readonly watch: WatchAnswer; readonly presentation: Presentation }
  /** A Status or another object that is never stored (a review), in JSON, YAML or protobuf. `codec` where it is of a resource. */
  | { readonly kind: "plain"; readonly code: number; readonly object: object; readonly codec?: KindCodec }
  | { readonly kind: "text"; readonly code: number; readonly text: string; readonly contentType?: string }
  /** Already a response: streams of logs, upgraded connections. */
  | { readonly kind: "response"; readonly response: ApiResponse };

export interface ListAnswer {
  readonly metadata: metav1.ListMeta;
  /** As stored. */
  readonly objects: readonly KubernetesObject[];
}

export type WatchType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

export interface WatchMessage {
  readonly type: WatchType;
  /** As stored; of a BOOKMARK only kind, apiVersion and metadata; of an ERROR a Status. Frozen, and the same object for all watchers. */
  readonly object: KubernetesObject;
}

/** What ends a watch that cannot go on. */
export function errorMessage({ status }: StatusError): WatchMessage {
  return { type: "ERROR", object: deepFreeze(status) as metav1.Status as unknown as KubernetesObject };
}

/** Messages in batches, as they come: what is in one batch was there at one moment. */
export interface WatchAnswer {
  messages(signal: AbortSignal): AsyncIterable<readonly WatchMessage[]>;
}
