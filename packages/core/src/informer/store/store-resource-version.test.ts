import { describe, expect, test } from "vitest";
import { objectKeyOf } from "../../api/index.ts";
import { type GaugeSeries, MetricsRegistry } from "../../base/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import { IndexedStore, type Transaction } from "./indexed-store.ts";
import { type Pod, pod } from "./objects.fixture.ts";
import { storeResourceVersionGauge } from "./store-resource-version.ts";

describe("the version of a store", () => {
  const written = (version: string) => pod("a", { resourceVersion: version });

  test.each<[string, (store: IndexedStore<Pod>) => void, string]>([
    ["follows what is written", (store) => store.add(written("40")), "40"],
    ["follows what is deleted", (store) => store.delete(written("40")), "40"],
    ["follows bookmarks", (store) => store.bookmark("40"), "40"],
    ["counts beyond what numbers hold", (store) => store.bookmark("9007199254740993"), "9007199254740993"],
    ["is never taken back by an older object", (store) => store.add(written("9")), "30"],
    ["is never taken back by an older bookmark", (store) => store.bookmark("29"), "30"],
    ["stays for an object without one", (store) => store.add(pod("a")), "30"],
    ["stays for an object with an empty one", (store) => store.add(written("")), "30"],
    ["stays for a delete by key", (store) => store.deleteByKey("a"), "30"],
    [
      "stays for a tombstone, whose object is old",
      (store) => store.delete(new DeletedFinalStateUnknown(objectKeyOf("", "a"), written("99"))),
      "30",
    ],
    ["is the newest of several writes", (store) => store.transaction(["40", "30", "50"].map(added)), "50"],
    ["does not hang on the order of several writes", (store) => store.transaction(["50", "30"].map(added)), "50"],
    ["is what a new list says, newer", (store) => store.replace([written("99")], "50"), "50"],
    ["is what a new list says, older: the cluster may have been restored", (store) => store.replace([], "7"), "7"],
    ["is empty when a new list has none", (store) => store.replace([], ""), ""],
    ["takes over versions that are no numbers", (store) => store.add(written("abc")), "abc"],
  ])("%s", (_, write, expected) => {
    const store = new IndexedStore<Pod>();
    store.add(written("30"));
    write(store);
    expect(store.resourceVersion).toBe(expected);
  });

  function added(version: string): Transaction<Pod> {
    return { type: "Add", object: written(version) };
  }

  test("does not move for what is no object of the API", () => {
    const store = new IndexedStore<string | Pod>({ keyOf: (each) => (typeof each === "string" ? each : "pod") });
    store.add(written("30"));
    store.add("just a string");
    expect(store.resourceVersion).toBe("30");
  });

  test("is of the object as it came, whatever the transform leaves of it", () => {
    const store = new IndexedStore<Pod>({ transform: ({ metadata }) => pod(metadata.name) });
    store.add(written("30"));
    expect(store.resourceVersion).toBe("30");
  });

  test.each([
    ["30", "30"],
    ["123456789012345678", "4.56789012345678e+14"],
    ["", "0"],
  ])("%j is %s in the metrics", (version, expected) => {
    const registry = new MetricsRegistry();
    const labels = { name: "test", group: "apps", version: "v1", resource: "deployments" };
    const store = new IndexedStore<Pod>({ resourceVersionGauge: storeResourceVersionGauge(registry, labels) });
    store.replace([], version);
    const series = 'informer_store_resource_version{name="test",group="apps",version="v1",resource="deployments"}';
    expect(registry.print()).toContain(`${series} ${expected}\n`);
  });

  test("that is no number is no number in the metrics either", () => {
    const values: number[] = [];
    const resourceVersionGauge: GaugeSeries = { set: (value) => values.push(value), inc() {}, dec() {} };
    const store = new IndexedStore<Pod>({ resourceVersionGauge });
    store.bookmark("abc");
    expect(values).toEqual([]);
  });
});
