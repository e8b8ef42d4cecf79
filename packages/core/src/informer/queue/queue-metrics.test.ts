import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/index.ts";
import { InOrderQueue } from "./in-order-queue.ts";
import { item, keyOfItem } from "./items.fixture.ts";
import { openQueueMetrics } from "./queue-metrics.ts";

test("each informer's queue has its series, under Kubernetes' names, as long as there is such an informer", () => {
  const registry = new MetricsRegistry();
  const open = (name: string) =>
    openQueueMetrics(registry, { name, group: "apps", version: "v1", resource: "deployments" });
  const queuedLines = () =>
    registry
      .print()
      .split("\n")
      .filter((line) => line.startsWith("informer_queued_items{"));
  const [first, second] = [open("one"), open("two")];
  const queue = new InOrderQueue({ keyOf: keyOfItem, metrics: first });
  new InOrderQueue({ keyOf: keyOfItem, metrics: second }).add(item("a", 1));
  queue.add(item("a", 1));
  queue.bookmark("2");
  expect(queuedLines()).toEqual([
    'informer_queued_items{name="one",group="apps",version="v1",resource="deployments"} 2',
    'informer_queued_items{name="two",group="apps",version="v1",resource="deployments"} 1',
  ]);
  const batch = queue.take();
  if (batch !== undefined) queue.done(batch);
  expect(registry.print()).toContain(
    'informer_processing_latency_seconds_count{name="one",group="apps",version="v1",resource="deployments"} 1',
  );
  first[Symbol.dispose]();
  expect(queuedLines()).toHaveLength(1);
  expect(registry.print()).not.toContain('name="one"');
});
