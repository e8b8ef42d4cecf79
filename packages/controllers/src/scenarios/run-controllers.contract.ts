// Controllers with caches, drivers and events of their own, on one transport, as the manager runs them: one life of one replica.
import type { Transport } from "@kubeloop/core/api";
import {
  type FakeClock,
  type Log,
  type LogFields,
  type MetricsRegistry,
  noLog,
  type Random,
  type SeededRandom,
  TaskScope,
} from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import type { Controller } from "@kubeloop/core/contract";
import { coreEventSink, EventBroadcaster, recordEventActions } from "@kubeloop/core/events";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "@kubeloop/core/informer";
import { ControllerDriver, PanicError, type Ports } from "@kubeloop/core/runtime";

/** Called at each start, with what runs a controller. */
export type Controllers = (run: <M>(controller: Controller<M>, ports?: Ports) => void, parts: ControllerParts) => void;

/** What ports may be made of. */
export interface ControllerParts {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly random: Random;
}

export interface RunningParts {
  readonly transport: Transport;
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly metrics: MetricsRegistry;
  /** Filled with the controllers' own mistakes. */
  readonly panics: Error[];
}

/** Nobody needs so many requests without time going by. */
const mostRequestsAtOnce = 20_000;

/** Fails what would otherwise hang: requests without end at one moment of virtual time. */
export function withoutLoops(transport: Transport, clock: FakeClock): Transport {
  let atMs = -1;
  let count = 0;
  return (request, signal) => {
    if (clock.monotonic() !== atMs) {
      atMs = clock.monotonic();
      count = 0;
    }
    if (++count > mostRequestsAtOnce) throw new Error(`more than ${mostRequestsAtOnce} requests at one moment: a loop`);
    return transport(request, signal);
  };
}

/** Until aborted; throws what ended a controller. */
export async function runControllers(
  controllers: Controllers,
  parts: RunningParts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, metrics, transport, panics } = parts;
  const client = clientOf(transport, { clock });
  const common = { clock, random, freeze: true } as const;
  const informers = new SharedInformerFactory(client, common);
  const metadata = new MetadataSharedInformerFactory(client, common);
  const broadcaster = new EventBroadcaster({ clock, random });
  broadcaster.startRecordingToSink(coreEventSink(client));
  const scope = new TaskScope(signal);
  controllers(
    (controller, ports) => {
      const recorder = broadcaster.newRecorder({ component: controller.name });
      const driver = new ControllerDriver(controller, {
        client,
        informers,
        metadata,
        ...common,
        metrics,
        log: panicLog(panics),
        // As the manager does.
        onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
        recordEvent: recordEventActions(recorder),
        ...(ports === undefined ? {} : { ports }),
      });
      void scope.spawn((each) => driver.run(each));
    },
    { client, clock, random },
  );
  void scope.spawn((each) => broadcaster.run(each));
  void scope.spawn((each) => informers.run(each));
  void scope.spawn((each) => metadata.run(each));
  await scope.join();
  signal.throwIfAborted();
}

/** Keeps the panics among what is logged: a mapping, an index or a rule that throws is the controller's own mistake. */
function panicLog(panics: Error[]): Log {
  const keep = (_message: string, { error }: LogFields = {}) => {
    if (error instanceof PanicError) panics.push(error);
  };
  return { ...noLog, warn: keep, error: keep, with: () => panicLog(panics) };
}
