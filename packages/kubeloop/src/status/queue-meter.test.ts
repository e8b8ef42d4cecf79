import { FakeClock } from "@kubeloop/core/base";
import { RateLimitingQueue } from "@kubeloop/core/workqueue";
import { expect, test } from "vitest";
import { QueueMeter } from "./queue-meter.ts";

test("what waits and what was added is known by the name of the queue, until it is closed", async () => {
  const meter = new QueueMeter();
  let changes = 0;
  meter.onChange = () => changes++;
  const clock = new FakeClock();
  const queue = new RateLimitingQueue<string>({ clock, name: "deployment", metrics: meter });
  queue.add("a");
  queue.add("b");
  queue.add("b");
  expect(meter.queues).toEqual([{ name: "deployment", depth: 2, added: 2 }]);
  const seen = changes;
  await queue.get(new AbortController().signal);
  expect(meter.queues).toEqual([{ name: "deployment", depth: 1, added: 2 }]);
  expect(changes).toBeGreaterThan(seen);
  queue[Symbol.dispose]();
  expect(meter.queues).toEqual([]);
});
