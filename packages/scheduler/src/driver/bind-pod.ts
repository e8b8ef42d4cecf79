// Binds a pod to a node, for certain: when it resolves, the pod is on the node; when it throws, this call has not put it there and never will. In between,
// while an answer is lost and nobody knows, the caller keeps the pod's place. Otherwise another pod could get it, and the node would have more pods
// than it has room for.
import { isNotFound, isTimeout, TransportError } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { pods } from "@kubeloop/core/resources";
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { RequestSlots } from "./request-slots.ts";

const firstDelayMs = 1000;
const maxDelayMs = 10_000;

export interface BindOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Of all bindings. While one waits before it is sent again, its slot is free. */
  readonly slots: RequestSlots;
}

/** A binding whose answer was lost is sent again until the server answers: it accepts only one for each pod. */
export async function bindPod(
  { metadata: { name = "", namespace = "", uid = "" } }: Pod,
  nodeName: string,
  { client, clock, slots }: BindOptions,
  signal: AbortSignal,
): Promise<void> {
  const binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace, uid },
    target: { kind: "Node", name: nodeName },
  } as const;
  const target = client.resource(pods).in(namespace);
  let mayBeBound = false;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    try {
      await slots.use(() => target.subresource("binding").create(name, binding, signal), signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      if (isUnanswered(error)) mayBeBound = true;
      // A pod that is gone can no longer be bound by anybody.
      else if (!mayBeBound || isNotFound(error)) throw error;
      else {
        // This one was refused, perhaps because an earlier one was carried out.
        const found = await lookAt(target.get(name, signal));
        if (found === "gone") throw error;
        if (found !== "unknown") {
          if (found.metadata.uid === uid && found.spec.nodeName === nodeName) return;
          throw error;
        }
      }
    }
    await clock.sleep(delayMs, signal);
  }
}

/** Whether the server may have carried the request out. */
function isUnanswered(error: unknown): boolean {
  return error instanceof TransportError ? error.wasSent === "maybe" : isTimeout(error);
}

async function lookAt(request: Promise<Pod>): Promise<Pod | "gone" | "unknown"> {
  try {
    return await request;
  } catch (error) {
    return isNotFound(error) ? "gone" : "unknown";
  }
}
