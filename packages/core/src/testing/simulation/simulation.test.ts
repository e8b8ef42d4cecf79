import { expect, test } from "vitest";
import { explain, runSeeds, summarize } from "./run-seeds.fixture.ts";
import { simulate } from "./simulate.fixture.ts";

const seed = process.env["KUBELOOP_SEED"];
const one = seed === undefined ? undefined : { first: Number(seed), count: 1 };

test("an informer loses nothing, whatever happens, and everything has happened", { timeout: 120_000 }, async () => {
  const run = await runSeeds(one ?? { first: 1, count: 80, atMost: 400 });
  console.log(summarize(run));
  expect(run.failures.map(explain)).toEqual([]);
  expect(run.writes).toBeGreaterThanOrEqual(500 * run.seeds);
  if (one === undefined) expect(run.coverage.missed).toEqual([]);
});

test("a seed stands for one run, step by step", async () => {
  const steps: string[][] = [[], []];
  for (const taken of steps) await simulate(7, (atMs, name) => taken.push(`${atMs} ${name}`));
  expect(steps[0]?.length).toBeGreaterThan(100);
  expect(steps[1]).toEqual(steps[0]);
});
