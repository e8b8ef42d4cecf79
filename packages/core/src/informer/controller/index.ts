// `controller`: the base of every informer, for consumers of deltas, and informers with a single handler that do not share
// their cache. Start with controller.ts. For a cache with several handlers see `shared`.
export { Controller, type ControllerConfig, type RequeueingQueue } from "./controller.ts";
export type { QueueKind } from "./make-queue.ts";
export {
  type NewIndexerInformerOptions,
  type NewInformerOptions,
  newIndexerInformer,
  newInformer,
} from "./new-informer.ts";
export { newNamespaceKeyedIndexerAndReflector } from "./new-namespace-keyed-indexer-and-reflector.ts";
