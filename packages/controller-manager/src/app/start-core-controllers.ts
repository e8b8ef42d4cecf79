// Starts the controllers of the core API group.
import { newGarbageCollectorController, OwnerGraph } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { newGraphHandler } from "./graph-handler.ts";
import { runController } from "./run-controller.ts";

/** Upstream's: workers do not wait longer for caches. */
const garbageCollectorSyncMs = 30_000;

export const startGarbageCollectorController: InitFunc = async (context, descriptor) => {
  const { enableGarbageCollector, concurrentGCSyncs } = context.componentConfig.garbageCollectorController;
  if (!enableGarbageCollector) return { isStarted: false };
  const graph = new OwnerGraph();
  const controller = newGarbageCollectorController({ workers: concurrentGCSyncs, graph });
  const started = runController(context, descriptor, controller, { syncTimeoutMs: garbageCollectorSyncMs });
  return started.isStarted ? { ...started, debugHandler: newGraphHandler(graph, context.clock) } : started;
};
