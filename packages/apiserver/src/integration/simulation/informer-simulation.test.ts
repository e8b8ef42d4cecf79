// To see one seed again: KUBELOOP_SEED=17 npx vitest run --project unit packages/apiserver/src/integration/simulation/informer-simulation.test.ts
import { explain, runSeeds, summarize } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";
import { openEmbeddedServer } from "./embedded-server.contract.ts";
import { folder, outOfReach, simulate } from "./informer-simulation.contract.ts";

const seed = process.env["KUBELOOP_SEED"];
const one = seed === undefined ? undefined : { first: Number(seed), count: 1 };

test("on this server, too, an informer loses nothing, and nothing happens that it cannot do", async () => {
  const run = await runSeeds({
    ...(one ?? { first: 1, count: 24 }),
    open: openEmbeddedServer,
    outOfReach,
  });
  console.log(summarize(run));
  expect(run.failures.map((each) => explain(each, folder))).toEqual([]);
  expect(run.writes).toBeGreaterThanOrEqual(500 * run.seeds);
  expect(run.reached).toEqual([]);
});

test("a seed stands for one run", async () => {
  const { digest, hits } = await simulate(7);
  expect(hits.size).toBeGreaterThan(10);
  expect((await simulate(7)).digest).toBe(digest);
  expect((await simulate(8)).digest).not.toBe(digest);
});
