// `factory`: one informer per resource, shared by the whole process. Start with shared-informer-factory.ts;
// informer-pool.ts defines when informers start and stop.
//
// Not here: the informers themselves (shared) and their sources (reflector).
export { DynamicSharedInformerFactory } from "./dynamic-shared-informer-factory.ts";
export type { InformerFactoryOptions } from "./factory-options.ts";
export type { GroupInformers, GroupName, InformersByGroup } from "./informers-by-group.ts";
export { MetadataSharedInformerFactory } from "./metadata-shared-informer-factory.ts";
export {
  type NewFilteredResourceInformer,
  type NewFilteredResourceInformerOptions,
  type NewResourceInformer,
  type NewResourceInformerOptions,
  newFilteredInformerOf,
  newInformerOf,
} from "./new-resource-informer.ts";
export {
  ObjectOrMetadataInformerFactory,
  type ObjectOrMetadataOptions,
} from "./object-or-metadata-informer-factory.ts";
export type { AcquiredInformer, ResourceInformer } from "./resource-informer.ts";
export { SharedInformerFactory } from "./shared-informer-factory.ts";
