// `discovery`: which resources a server serves, read from the server itself. `Discovery` reads, `CachedDiscovery` caches,
// `RestMapper` finds by kind and by name. The results have the same type as the built-in resources, so that every function
// that takes one takes the other.
//
// Start with discovered.ts, then discovery.ts. Not here: schemas (OpenAPI), and watching CRDs.
export { CachedDiscovery, type CachedDiscoveryOptions, type Reading } from "./cached-discovery.ts";
export { type ApiGroup, type Discovered, type ServerVersion, StaleGroupVersionError } from "./discovered.ts";
export { Discovery, type DiscoveryOptions } from "./discovery.ts";
export { type Asked, NoMatchError } from "./no-match-error.ts";
export type { KindQuery, ResourceQuery } from "./resource-index.ts";
export { RestMapper, type RestMapperOptions } from "./rest-mapper.ts";
