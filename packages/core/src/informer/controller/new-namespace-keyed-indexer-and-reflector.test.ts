import { expect, test } from "vitest";
import { FakeClock, seededRandom } from "../../base/index.ts";
import { namespaceIndex, newNamespaceKeyedIndexerAndReflector } from "../index.ts";
import { PodSource } from "../shared/pod-source.fixture.ts";

test("an indexer and its reflector follow a source, by key and by namespace", async () => {
  const clock = new FakeClock();
  const source = new PodSource();
  const { indexer, reflector } = newNamespaceKeyedIndexerAndReflector(source, { clock, random: seededRandom(1) });
  const stopping = new AbortController();
  source.put("a");
  const running = reflector.run(stopping.signal);
  await clock.settle();
  source.put("b");
  source.delete("a");
  await clock.settle();
  expect(indexer.listKeys()).toEqual(["shop/b"]);
  expect(indexer.byIndex(namespaceIndex, "shop").map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect([indexer.resourceVersion, reflector.lastSyncResourceVersion]).toEqual(["3", "3"]);
  expect(reflector.name).toMatch(/new-namespace-keyed|pods|:\d+(?:#\d+)?$/);
  stopping.abort();
  await running;
});
