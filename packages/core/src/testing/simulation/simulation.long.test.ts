import { expect, test } from "vitest";
import { explain, runSeeds, summarize } from "./run-seeds.fixture.ts";

test("an informer loses nothing, whatever happens, in two thousand lives", async () => {
  const run = await runSeeds({ first: 1, count: 2_000 });
  console.log(summarize(run));
  expect(run.failures.map((each) => explain(each))).toEqual([]);
  expect(run.coverage.missed).toEqual([]);
});
