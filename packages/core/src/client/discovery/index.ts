// `discovery`: what a server serves, asked of the server itself. `Discovery` reads, `CachedDiscovery` keeps,
// `RestMapper` finds by kind and by name. What it finds has the shape of the built-in resources, so that everything
// that takes one takes the other.
//
// Start with discovered.ts, then discovery.ts. Not here: schemas (OpenAPI), and following CRDs as they come and go.
export { CachedDiscovery, type CachedDiscoveryOptions, type Reading } from "./cached-discovery.ts";
export { type ApiGroup, type Discovered, type ServerVersion, StaleGroupVersionError } from "./discovered.ts";
export { Discovery, type DiscoveryOptions } from "./discovery.ts";
export { type Asked, NoMatchError } from "./no-match-error.ts";
export type { KindQuery, ResourceQuery } from "./resource-index.ts";
export { RestMapper, type RestMapperOptions } from "./rest-mapper.ts";
