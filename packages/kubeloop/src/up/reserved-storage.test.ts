import { MemoryStorage } from "@kubeloop/apiserver";
import { expect, test } from "vitest";
import { ReservedStorage } from "./reserved-storage.ts";

const note = (name: string) => ({
  collection: "notes",
  key: name,
  expected: 0,
  object: { apiVersion: "v1", kind: "Note", metadata: { name } },
});

test("no version is given out before it is reserved, and reservations are few", async () => {
  const reserved: number[] = [];
  const reserve = (wanted: number) => {
    reserved.push(wanted + 10);
    return wanted + 10;
  };
  await using storage = new ReservedStorage(new MemoryStorage({ firstRevision: 100 }), { reserve });
  expect(reserved).toEqual([110]);
  for (let i = 0; i < 35; i++) {
    const before = storage.snapshot();
    const { revision } = (await storage.write([note(`n${i}`)])) as { revision: number };
    expect(revision).toBeLessThan(reserved.at(-1) ?? 0);
    // Going back takes a version, too.
    if (i % 10 === 0) await storage.restore(before);
    else if (i % 5 === 0) await storage.revert(before, () => "revert");
    expect(storage.log.revision).toBeLessThan(reserved.at(-1) ?? 0);
  }
  expect(reserved).toEqual([110, 120, 130, 140, 150]);
});

test("a write fails, and changes nothing, if its version cannot be reserved", async () => {
  let isFull = false;
  const reserve = (wanted: number) => {
    if (isFull) throw new Error("no space left");
    return wanted + 2;
  };
  await using storage = new ReservedStorage(new MemoryStorage(), { reserve });
  isFull = true;
  await storage.write([note("a")]);
  await expect(storage.write([note("b")])).rejects.toThrow("no space left");
  expect(await storage.get(note("b"))).toBeUndefined();
  isFull = false;
  await storage.write([note("b")]);
  expect(await storage.get(note("b"))).toBeDefined();
});
