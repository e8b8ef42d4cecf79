// A fake cluster for one test. Start with fake-cluster.ts.
export { FakeCluster, type FakeClusterOptions } from "./fake-cluster.ts";
export { type WriteTransportOptions, withWrites } from "./write-transport.ts";
