import { describe, expect, test } from "vitest";
import { batchIterator } from "./batch-iterator.ts";

function source(batches: readonly (readonly string[] | Error)[]) {
  const happened: string[] = [];
  const left = [...batches];
  const reading = batchIterator<string>({
    async draw() {
      const next = left.shift();
      happened.push(next === undefined ? "end" : next instanceof Error ? "fault" : next.join());
      if (next instanceof Error) throw next;
      return next;
    },
    async leave() {
      happened.push("left");
    },
  });
  return { reading, happened };
}

async function readAll(reading: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const read: string[] = [];
  for await (const batch of reading) read.push(...batch);
  return read;
}

describe("the batches of a batch iterator", () => {
  test("come in order, and the source is left once when there are no more", async () => {
    const { reading, happened } = source([["a", "b"], ["c"]]);
    expect(await readAll(reading)).toEqual(["a", "b", "c"]);
    expect(await reading.next()).toEqual({ done: true, value: undefined });
    expect(happened).toEqual(["a,b", "c", "end", "left"]);
  });

  test("end with what the source threw, and the source is left once", async () => {
    const { reading, happened } = source([["a"], new Error("broken")]);
    await expect(readAll(reading)).rejects.toThrow("broken");
    expect(await readAll(reading)).toEqual([]);
    expect(happened).toEqual(["a", "fault", "left"]);
  });

  test("are asked for no more once the reader has left", async () => {
    const { reading, happened } = source([["a"], ["b"]]);
    for await (const _ of reading) break;
    expect(await readAll(reading)).toEqual([]);
    expect(happened).toEqual(["a", "left"]);
  });

  test.each([
    ["returns", (reading: AsyncGenerator<unknown>) => reading.return(undefined)],
    ["throws", (reading: AsyncGenerator<unknown>) => reading.throw(new Error("no")).catch(() => {})],
    ["disposes of them", (reading: AsyncGenerator<unknown> & AsyncDisposable) => reading[Symbol.asyncDispose]()],
  ])("let go of the source also where the reader %s before the first", async (_, leave) => {
    const { reading, happened } = source([["a"]]);
    await leave(reading);
    await leave(reading);
    expect(happened).toEqual(["left"]);
  });
});
