import { describe, expect, test } from "vitest";
import { RequeueError } from "../requeue-error.ts";
import { metaNamespaceKeyFunc } from "../store/key-functions.ts";
import { type Pod, pod } from "../store/objects.fixture.ts";
import { QueueClosedError } from "../store/queue-closed-error.ts";
import { storeSuite } from "../store/store.contract.ts";
import { FIFO } from "./fifo.ts";

const neverAborted = new AbortController().signal;
const newFifo = () => new FIFO<Pod>(metaNamespaceKeyFunc);
const state = (name: string, value: number) => pod(name, { labels: { value: String(value) } });
const take = (fifo: FIFO<Pod>) => fifo.pop(() => {}, neverAborted);
const takeStates = async (fifo: FIFO<Pod>, count: number) => {
  const states: string[] = [];
  for (let i = 0; i < count; i++) {
    const { metadata } = await take(fifo);
    states.push(`${metadata.name}=${metadata.labels?.["value"]}`);
  }
  return states;
};

storeSuite("a FIFO", newFifo);

describe("a FIFO", () => {
  test("gives objects in the order they came", async () => {
    const fifo = newFifo();
    const expected: string[] = [];
    for (let i = 0; i < 500; i++) {
      fifo.add(state(`a${i}`, i));
      fifo.add(state(`b${i}`, i));
      expected.push(`a${i}=${i}`, `b${i}=${i}`);
    }
    expect(await takeStates(fifo, 1000)).toEqual(expected);
  });

  test("gives an object once, as it was last seen", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 10));
    fifo.update(state("foo", 15));
    expect([fifo.list(), fifo.listKeys()]).toEqual([[state("foo", 15)], ["foo"]]);
    expect(await takeStates(fifo, 1)).toEqual(["foo=15"]);
    expect([fifo.get(pod("foo")), fifo.size]).toEqual([undefined, 0]);
  });

  test("gives an object once, as a new list has it", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 10));
    fifo.replace([state("foo", 15)], "15");
    expect(await takeStates(fifo, 1)).toEqual(["foo=15"]);
    expect(fifo.size).toBe(0);
  });

  test("lets nobody jump the line", async () => {
    const fifo = newFifo();
    for (const [name, value] of [
      ["foo", 10],
      ["bar", 1],
      ["foo", 11],
      ["foo", 13],
      ["zab", 30],
    ] as const)
      fifo.add(state(name, value));
    expect(await takeStates(fifo, 1)).toEqual(["foo=13"]);
    fifo.add(state("foo", 14));
    expect(await takeStates(fifo, 3)).toEqual(["bar=1", "zab=30", "foo=14"]);
  });

  test("passes over what was deleted while it waited", async () => {
    const fifo = newFifo();
    for (const name of ["a", "b", "c"]) fifo.add(state(name, 1));
    fifo.delete(pod("a"));
    fifo.delete(pod("b"));
    fifo.add(state("b", 2));
    expect(await takeStates(fifo, 2)).toEqual(["b=2", "c=1"]);
    expect(fifo.size).toBe(0);
  });

  test("gives the objects of a list in its order", async () => {
    const fifo = newFifo();
    fifo.replace([state("b", 1), state("a", 2), state("c", 3)], "1");
    expect(await takeStates(fifo, 3)).toEqual(["b=1", "a=2", "c=3"]);
  });

  test("has the object out before it is worked on", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    let sizeMeanwhile = -1;
    await fifo.pop(() => {
      sizeMeanwhile = fifo.size;
    }, neverAborted);
    expect(sizeMeanwhile).toBe(0);
  });
});

describe("work on an object that fails", () => {
  test("loses it, and the one who popped hears why", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    const popped = fifo.pop(() => Promise.reject(new Error("broken")), neverAborted);
    await expect(popped).rejects.toThrow("broken");
    expect(fifo.size).toBe(0);
  });

  test("puts it back if it asks to, behind the others", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    fifo.add(state("bar", 1));
    const again = fifo.pop(() => {
      throw new RequeueError(new Error("not yet"));
    }, neverAborted);
    await expect(again).rejects.toThrow("not yet");
    expect(await takeStates(fifo, 2)).toEqual(["bar=1", "foo=1"]);
  });

  test("may put it back for no reason", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    const popped = await fifo.pop(() => {
      throw new RequeueError();
    }, neverAborted);
    expect([popped, fifo.list()]).toEqual([state("foo", 1), [state("foo", 1)]]);
  });

  test("does not put it back into a closed queue", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    fifo.close();
    await fifo.pop(() => {
      throw new RequeueError();
    }, neverAborted);
    expect(fifo.list()).toEqual([]);
  });

  test("does not put it in the place of a newer one", async () => {
    const fifo = newFifo();
    fifo.add(state("foo", 1));
    await fifo.pop(() => {
      fifo.add(state("foo", 2));
      throw new RequeueError();
    }, neverAborted);
    expect(fifo.list()).toEqual([state("foo", 2)]);
  });
});

describe("a FIFO has synced", () => {
  const listed = [state("a", 1), state("b", 2)];

  test.each<[string, (fifo: FIFO<Pod>) => unknown, boolean]>([
    ["not before anything came", () => {}, false],
    ["when something came before any list", (fifo) => fifo.add(state("a", 1)), true],
    ["when something was put back before any list", (fifo) => fifo.addIfNotPresent(state("a", 1)), true],
    ["when a delete came before any list", (fifo) => fifo.delete(state("a", 1)), true],
    ["when the first list is empty", (fifo) => fifo.replace([], "0"), true],
    ["not while the first list waits", (fifo) => fifo.replace(listed, "0"), false],
    [
      "not while some of the first list waits",
      async (fifo) => {
        fifo.replace(listed, "0");
        await take(fifo);
      },
      false,
    ],
    [
      "when all of the first list is worked off",
      async (fifo) => {
        fifo.replace(listed, "0");
        await take(fifo);
        await take(fifo);
      },
      true,
    ],
    [
      "when what is left of the first list has been deleted",
      async (fifo) => {
        fifo.replace(listed, "0");
        await take(fifo);
        fifo.delete(pod("b"));
      },
      true,
    ],
    [
      "when what is left of the first list is not in the next",
      async (fifo) => {
        fifo.replace(listed, "0");
        await take(fifo);
        fifo.replace([state("c", 3)], "1");
      },
      true,
    ],
    [
      "not while an object of the first list has been put back",
      async (fifo) => {
        fifo.replace([state("a", 1)], "0");
        await fifo.pop(() => {
          throw new RequeueError();
        }, neverAborted);
      },
      false,
    ],
  ])("%s", async (_, act, expected) => {
    const fifo = newFifo();
    await act(fifo);
    expect(fifo.hasSynced()).toBe(expected);
  });

  test("only after the last object has been worked off, and whoever works is told which are of the first list", async () => {
    const fifo = newFifo();
    fifo.replace(listed, "0");
    fifo.add(state("c", 3));
    const seen: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await fifo.pop(async ({ metadata }, isInInitialList) => {
        await Promise.resolve();
        seen.push([metadata.name, isInInitialList, fifo.hasSynced()]);
      }, neverAborted);
    }
    expect(seen).toEqual([
      ["a", true, false],
      ["b", true, false],
      ["c", false, true],
    ]);
  });
});

describe("whoever waits at an empty FIFO", () => {
  test("gets what comes", async () => {
    const fifo = newFifo();
    const popped = take(fifo);
    fifo.replace([state("a", 1)], "1");
    expect(await popped).toEqual(state("a", 1));
  });

  test("is told when it closes, all of them", async () => {
    const fifo = newFifo();
    const popped = Array.from({ length: 10 }, () => expect(take(fifo)).rejects.toThrow(QueueClosedError));
    fifo.close();
    await Promise.all(popped);
    expect(fifo.isClosed).toBe(true);
  });

  test("is let go when aborted", async () => {
    const stop = new AbortController();
    const popped = newFifo().pop(() => {}, stop.signal);
    stop.abort(new Error("enough"));
    await expect(popped).rejects.toThrow("enough");
  });

  test("still gets what was there before it closed", async () => {
    const fifo = newFifo();
    fifo.add(state("a", 1));
    fifo.close();
    expect(await take(fifo)).toEqual(state("a", 1));
    await expect(take(fifo)).rejects.toThrow(QueueClosedError);
  });
});
