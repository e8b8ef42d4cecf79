// `testing`: helpers for tests of controllers and caches. All of them run in virtual time. docs/testing.md is the guide.
//
// - a cluster in one object (FakeCluster), and a fake API server with true resourceVersion semantics (FakeApiServer)
// - builders of common objects
// - helpers for tests of rules, and checks of the properties that every controller should have
// - injected faults, `eventually`, and a check for leaks
// - an event recorder that stores the events, a ListerWatcher without a server, and a store with methods from the test
//
// This folder has no assertions of a test framework, and nothing that production code may import.
export {
  newConfigMap,
  newDaemonSet,
  newDeployment,
  newJob,
  newNamespace,
  newNode,
  newObject,
  newPod,
  newReplicaSet,
  newSecret,
  newService,
  newStatefulSet,
  type Overrides,
  ownedBy,
  stored,
} from "./builders/index.ts";
export { findPropertyFaults, type PropertyOptions, type World } from "./controller-properties.ts";
export { FakeRecorder } from "./events/fake-recorder.ts";
export { type EventuallyOptions, eventually, type Something } from "./eventually.ts";
export { FakeCluster, type FakeClusterOptions, type WriteTransportOptions, withWrites } from "./fake-cluster/index.ts";
export { FakeControllerSource, type FakeControllerSourceOptions } from "./fake-controller-source.ts";
export { FakeCustomStore } from "./fake-custom-store.ts";
export {
  type FakeExpirationPolicyOptions,
  type FakeExpirationStoreOptions,
  fakeExpirationPolicy,
  newFakeExpirationStore,
} from "./fake-expiration-store.ts";
export {
  type BodyStyle,
  FakeApiServer,
  type FakeApiServerOptions,
  type ReceivedRequest,
  type ServerBehaviour,
  type WatchEnd,
} from "./fake-server/index.ts";
export { type FaultyClient, type FaultyTransportOptions, faultyClient, faultyTransport } from "./faulty-transport.ts";
export { assertNoLeaks, findLeaks, type LeakSources } from "./leak-check.ts";
export { Answers, answered, finishDecision, outcomeOf, plainSnapshot, unanswered } from "./rules.ts";
