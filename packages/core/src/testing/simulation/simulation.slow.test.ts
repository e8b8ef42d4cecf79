import { expect, test } from "vitest";
import { explain, runSeeds, summarize } from "./run-seeds.fixture.ts";

test("an informer loses nothing, whatever happens, in two hundred more lives", async () => {
  const run = await runSeeds({ first: 81, count: 200 });
  console.log(summarize(run));
  expect(run.failures.map((each) => explain(each))).toEqual([]);
});
