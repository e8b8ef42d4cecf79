// `lister`: typed reads from a cache. Start with lister.ts.
//
// Not here: what fills the cache (shared) and who owns it (factory).
export { type ListedResource, Lister, type ListerOptions, type NamespaceLister } from "./lister.ts";
