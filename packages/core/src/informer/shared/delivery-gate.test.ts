import { expect, test } from "vitest";
import { keyOf } from "../../api/index.ts";
import { FakeClock } from "../../base/index.ts";
import { DeliveryGate } from "./delivery-gate.ts";
import { added, deleted, recorder } from "./notifications.fixture.ts";
import { SharedProcessor } from "./shared-processor.ts";

function open() {
  const clock = new FakeClock();
  const deliveryGate = new DeliveryGate();
  const processor = new SharedProcessor({ clock, keyOf, deliveryGate, onHandlerFailure: () => {} });
  const { heard, handler } = recorder();
  const registration = processor.register(handler, { name: "handler", resyncMs: 0 });
  processor.join(registration, { objects: [], isComplete: true });
  const stop = new AbortController();
  return { clock, deliveryGate, processor, heard, registration, stop, running: processor.run(stop.signal) };
}

test("what happens while the gate is closed is delivered in order when it opens", async () => {
  const { clock, deliveryGate, processor, heard, registration, stop, running } = open();
  const closed = deliveryGate.close();
  processor.distribute(added("a"));
  processor.distribute(deleted("a"));
  await clock.settle();
  expect([heard, registration.pending]).toEqual([[], 2]);
  // Nothing that somebody waits for is under way: whoever closed the gate can wait until the caches have settled.
  expect(clock.isIdle).toBe(true);
  closed[Symbol.dispose]();
  await clock.settle();
  expect(heard.map((each) => each.split(" ")[0])).toEqual(["add", "delete"]);
  stop.abort();
  await running;
});

test("the gate opens when all who closed it have opened it", async () => {
  const { clock, deliveryGate, processor, heard, stop, running } = open();
  const [first, second] = [deliveryGate.close(), deliveryGate.close()];
  processor.distribute(added("a"));
  for (const [each, expected] of [
    [first, 0],
    [first, 0],
    [second, 1],
  ] as const) {
    each[Symbol.dispose]();
    await clock.settle();
    expect(heard).toHaveLength(expected);
  }
  stop.abort();
  await running;
});

test("an informer ends behind a closed gate", async () => {
  const { clock, deliveryGate, processor, heard, stop, running } = open();
  using _closed = deliveryGate.close();
  processor.distribute(added("a"));
  await clock.settle();
  stop.abort();
  await running;
  expect(heard).toEqual([]);
});
