// `testing`: what tests of controllers and caches stand on: a cluster in one object, a fake API server with true resourceVersion
// semantics, builders of common objects, what tests of rules are made of, faults, `eventually`, the properties every controller should have, a recorder that remembers, a
// source of objects without any server, a store made of parts, and a look at what was left behind. All of it runs in virtual time.
// docs/testing.md is the guide.
//
// Not here: assertions of a test framework, and anything that shipped code may use.
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
