// A processor with nothing around it, and the ways tests talk to it.
import { type KubernetesObject, keyOf } from "../../api/index.ts";
import { type Clock, FakeClock } from "../../base/index.ts";
import type { Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { type ListenerOptions, SharedProcessor } from "./shared-processor.ts";

export type PodProcessor = SharedProcessor<KubernetesObject>;

export function setUp(clock: Clock = new FakeClock()) {
  const failures: string[] = [];
  const processor: PodProcessor = new SharedProcessor({
    clock,
    keyOf,
    onHandlerFailure: (error, told, name) => failures.push(`${name}: ${told.type}: ${(error as Error).message}`),
  });
  const stop = new AbortController();
  const join = (handler: ResourceEventHandler<KubernetesObject>, options: Partial<ListenerOptions> = {}) => {
    const registration = processor.register(handler, { name: "handler", resyncMs: 0, ...options });
    processor.join(registration, { objects: [], isComplete: false });
    return registration;
  };
  return { processor, failures, stop, join };
}

export function tellAll(processor: PodProcessor, told: readonly Notification<KubernetesObject>[]): void {
  for (const each of told) processor.distribute(each);
}
