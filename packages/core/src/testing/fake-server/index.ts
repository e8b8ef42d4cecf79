// A small API server for tests, as a Transport in this process, with true resourceVersion semantics. Start with
// fake-api-server.ts.
export type { BodyStyle } from "./answers.ts";
export type { ServerBehaviour } from "./behaviour.ts";
export { FakeApiServer, type FakeApiServerOptions, type ReceivedRequest } from "./fake-api-server.ts";
export type { WatchEnd } from "./open-watch.ts";
