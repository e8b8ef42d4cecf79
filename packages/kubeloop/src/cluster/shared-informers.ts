// The caches of a control plane in one process: one informer factory of objects and one of metadata, for manager, scheduler and nodes. A server in
// this process hands the very objects that it stores to its readers; nothing is stripped from them here, because that would make a copy of each.
//
// Promises: whatever is asked of the factories runs as soon as it is asked for. `run` ends when the signal has aborted and all have ended.
import { type Clock, type Log, type Random, TaskScope } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { type DeliveryGate, MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";

export interface SharedInformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Holds all handlers of these caches back while it is closed. */
  readonly deliveryGate?: DeliveryGate;
}

export class SharedInformers {
  readonly objects: SharedInformerFactory;
  readonly metadata: MetadataSharedInformerFactory;

  constructor({ client, ...tools }: SharedInformersOptions) {
    this.objects = new SharedInformerFactory(client, tools);
    this.metadata = new MetadataSharedInformerFactory(client, tools);
  }

  async run(signal: AbortSignal): Promise<void> {
    const scope = new TaskScope(signal);
    void scope.spawn((each) => this.objects.run(each));
    void scope.spawn((each) => this.metadata.run(each));
    await scope.join();
  }
}
