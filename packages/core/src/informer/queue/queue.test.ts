import { describe, expect, test } from "vitest";
import { metaNamespaceKeyFunc as keyOf } from "../store/key-functions.ts";
import { type Pod, pod } from "../store/objects.fixture.ts";
import { QueueClosedError } from "../store/queue-closed-error.ts";
import type { Deleted } from "../tombstone.ts";
import { DeltaFIFO } from "./delta-fifo.ts";
import { isObjectDelta, type ObjectDelta } from "./deltas.ts";
import { FIFO } from "./fifo.ts";
import { InOrderQueue } from "./in-order-queue.ts";
import type { Batch, Queue } from "./queue.ts";

const never = new AbortController().signal;

/** A queue of any kind, with the names of the objects in what it pops. */
interface AnyQueue {
  readonly queue: Queue<Pod, never>;
  pop(work?: (names: readonly string[], isInInitialList: boolean) => unknown): Promise<readonly string[]>;
}

function named<Item>(queue: Queue<Pod, Item>, namesIn: (item: Item) => readonly string[]): AnyQueue {
  return {
    queue: queue as unknown as Queue<Pod, never>,
    async pop(work = () => {}) {
      const popped: string[] = [];
      await queue.pop(async (item, isInInitialList) => {
        popped.push(...namesIn(item));
        await work(namesIn(item), isInInitialList);
      }, never);
      return popped;
    },
  };
}

const nameOf = (object: Deleted<Pod>) => ("metadata" in object ? object.metadata.name : object.key);
const namesInBatch = ({ deltas }: Batch<Pod>) =>
  deltas.filter((delta): delta is ObjectDelta<Pod> => isObjectDelta(delta)).map(({ object }) => nameOf(object));

const kinds: readonly (readonly [name: string, open: () => AnyQueue])[] = [
  ["a FIFO", () => named(new FIFO<Pod>(keyOf), (object) => [object.metadata.name])],
  ["a DeltaFIFO", () => named(new DeltaFIFO<Pod>({ keyOf }), namesInBatch)],
  [
    "an InOrderQueue",
    () =>
      named(
        new InOrderQueue<Pod>({
          keyOf,
          isAtomic: false,
          maxBatch: 1,
          knownObjects: { listKeys: () => [], getByKey: () => undefined },
        }),
        namesInBatch,
      ),
  ],
];

for (const [kind, open] of kinds) {
  describe(`${kind} is client-go's Queue`, () => {
    test("pops what was added, in its order, and waits for more", async () => {
      const { queue, pop } = open();
      const waiting = pop();
      queue.add(pod("a"));
      queue.add(pod("b"));
      expect([await waiting, await pop(), queue.size]).toEqual([["a"], ["b"], 0]);
    });

    test("has synced when each object of the first list has been popped and worked on", async () => {
      const { queue, pop } = open();
      const calls: string[] = [];
      queue.onSynced(() => calls.push("synced"));
      queue.replace([pod("a"), pod("b")], "1");
      const flags: boolean[] = [queue.hasSynced()];
      await pop((_names, isInInitialList) => flags.push(isInInitialList, queue.hasSynced()));
      await pop((_names, isInInitialList) => flags.push(isInInitialList, queue.hasSynced()));
      expect([flags, queue.hasSynced(), calls]).toEqual([[false, true, false, true, false], true, ["synced"]]);
    });

    test("has synced at once with an empty first list", () => {
      const { queue } = open();
      queue.replace([], "1");
      expect(queue.hasSynced()).toBe(true);
    });

    test("waits for no list where a change came first", () => {
      const { queue } = open();
      queue.add(pod("a"));
      expect(queue.hasSynced()).toBe(true);
      queue.replace([pod("b")], "1");
      expect(queue.hasSynced()).toBe(true);
    });

    test("rejects with what the work throws, and the item is done even so", async () => {
      const { queue, pop } = open();
      queue.replace([pod("a")], "1");
      const failing = pop(() => {
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect([queue.size, queue.hasSynced()]).toEqual([0, true]);
    });

    test("closed, gives what it has and then a QueueClosedError, also to who waits already", async () => {
      const { queue, pop } = open();
      queue.add(pod("a"));
      const [first, second] = [pop(), expect(pop()).rejects.toThrow(QueueClosedError)];
      queue.close();
      expect([await first, queue.isClosed]).toEqual([["a"], true]);
      await second;
      await expect(pop()).rejects.toThrow(QueueClosedError);
    });

    test("leaves with the signal's reason", async () => {
      const { queue } = open();
      const controller = new AbortController();
      const popped = queue.pop(() => {}, controller.signal);
      controller.abort(new Error("left"));
      await expect(popped).rejects.toThrow("left");
    });
  });
}
