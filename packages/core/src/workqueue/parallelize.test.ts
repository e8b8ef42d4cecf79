import { expect, test } from "vitest";
import { parallelizeUntil } from "./parallelize.ts";

const never = new AbortController().signal;

test.each([
  [1000, 10],
  [1000, 1],
  [3, 10],
  [0, 4],
])("%i pieces with %i workers: each piece once, never more at a time than workers", async (pieces, workers) => {
  const seen = new Array<number>(pieces).fill(0);
  let running = 0;
  let most = 0;
  await parallelizeUntil(
    { pieces, workers },
    async (piece) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      seen[piece] = (seen[piece] ?? 0) + 1;
      running--;
    },
    never,
  );
  expect(seen.every((times) => times === 1)).toBe(true);
  expect(most).toBe(Math.min(pieces, workers));
});

test("stops handing out pieces when told to, and waits for those under way", async () => {
  const stop = new AbortController();
  const ended: number[] = [];
  await parallelizeUntil(
    { pieces: 100, workers: 2 },
    async (piece) => {
      if (piece === 4) stop.abort();
      await Promise.resolve();
      ended.push(piece);
    },
    stop.signal,
  );
  expect(ended.length).toBeLessThan(7);
  expect(ended).toContain(4);
});

test("the first failure stops the rest and is thrown", async () => {
  let started = 0;
  const work = parallelizeUntil(
    { pieces: 100, workers: 2 },
    async () => {
      if (++started === 3) throw new Error("third");
      await Promise.resolve();
    },
    never,
  );
  await expect(work).rejects.toThrow("third");
  expect(started).toBeLessThan(6);
});

test("the failure of a single worker is thrown, and no further piece begins", async () => {
  const begun: number[] = [];
  const work = parallelizeUntil(
    { pieces: 3, workers: 1 },
    (piece) => {
      begun.push(piece);
      if (piece === 1) throw new Error("second");
    },
    never,
  );
  await expect(work).rejects.toThrow("second");
  expect(begun).toEqual([0, 1]);
});
