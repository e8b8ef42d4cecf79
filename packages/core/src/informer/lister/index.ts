// `lister`: typed reads from a cache. Start with lister.ts.
//
// Not here: filling the cache (shared) and owning it (factory).
export { type ListedResource, Lister, type ListerOptions, type NamespaceLister } from "./lister.ts";
