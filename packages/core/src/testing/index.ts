// `testing`: what tests of controllers and caches stand on: a fake API server with true resourceVersion semantics, a source of
// objects without any server, a store made of parts, and a look at what was left behind. All of it runs in virtual time.
//
// Not here: assertions of a test framework, and anything that shipped code may use.
export { FakeControllerSource, type FakeControllerSourceOptions } from "./fake-controller-source.ts";
export { FakeCustomStore } from "./fake-custom-store.ts";
export {
  type BodyStyle,
  FakeApiServer,
  type FakeApiServerOptions,
  type ReceivedRequest,
  type ServerBehaviour,
  type WatchEnd,
} from "./fake-server/index.ts";
export { assertNoLeaks, findLeaks, type LeakSources } from "./leak-check.ts";
