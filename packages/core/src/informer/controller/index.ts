// `controller`: the engine under every informer, for consumers that want the deltas, and informers for one handler that share
// their cache with nobody. Start with controller.ts. For a cache with several handlers see `shared`.
export { Controller, type ControllerConfig, type RequeueingQueue } from "./controller.ts";
export type { QueueKind } from "./make-queue.ts";
export {
  type NewIndexerInformerOptions,
  type NewInformerOptions,
  newIndexerInformer,
  newInformer,
} from "./new-informer.ts";
export { newNamespaceKeyedIndexerAndReflector } from "./new-namespace-keyed-indexer-and-reflector.ts";
