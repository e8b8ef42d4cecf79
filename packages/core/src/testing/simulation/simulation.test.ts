import { expect, test } from "vitest";
import { explain, runSeeds, summarize } from "./run-seeds.fixture.ts";
import { simulate } from "./simulate.fixture.ts";

const seed = process.env["KUBELOOP_SEED"];
const one = seed === undefined ? undefined : { first: Number(seed), count: 1 };

test("an informer loses nothing, whatever happens, and everything has happened", async () => {
  const run = await runSeeds(one ?? { first: 1, count: 80, atMost: 400 });
  console.log(summarize(run));
  expect(run.failures.map((each) => explain(each))).toEqual([]);
  expect(run.writes).toBeGreaterThanOrEqual(500 * run.seeds);
  expect(run.reached).toEqual([]);
  if (one === undefined) expect(run.coverage.missed).toEqual([]);
});

test("a seed stands for one run, step by step", async () => {
  const steps: string[][] = [[], []];
  const digests = new Set<string>();
  for (const taken of steps) {
    const { digest } = await simulate(7, { trace: (atMs, name) => taken.push(`${atMs} ${name}`) });
    digests.add(digest);
  }
  expect(steps[0]?.length).toBeGreaterThan(100);
  expect(steps[1]).toEqual(steps[0]);
  expect(digests.size).toBe(1);
  expect(digests).not.toContain((await simulate(8)).digest);
});
