// The caches of `kubeloop up`: one informer factory of objects and one of metadata, on the server of this process, for the manager now and
// for scheduler and nodes when they join. The server hands the very objects that it stores to readers in its process; nothing is stripped
// from them here, because that would make a copy of each.
//
// Promises: whatever is asked of the factories runs as soon as it is asked for. `run` ends when the signal has aborted and all have ended.
import type { ApiServer } from "@kubeloop/apiserver";
import { type Clock, type Log, noLog, TaskScope } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";

export interface SharedInformersOptions {
  readonly server: Pick<ApiServer, "transport">;
  readonly clock: Clock;
  readonly log: Log;
}

export class SharedInformers {
  readonly objects: SharedInformerFactory;
  readonly metadata: MetadataSharedInformerFactory;

  constructor({ server, clock, log }: SharedInformersOptions) {
    // The client logs only what the server warns of, such as a deprecated version: nobody at the terminal can change these requests.
    const client = clientOf(server.transport, { log: noLog });
    this.objects = new SharedInformerFactory(client, { clock, log });
    this.metadata = new MetadataSharedInformerFactory(client, { clock, log });
  }

  async run(signal: AbortSignal): Promise<void> {
    const scope = new TaskScope(signal);
    void scope.spawn((each) => this.objects.run(each));
    void scope.spawn((each) => this.metadata.run(each));
    await scope.join();
  }
}
