import { explain, runSeeds, summarize } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";
import { openEmbeddedServer } from "./embedded-server.contract.ts";
import { folder, outOfReach } from "./informer-simulation.contract.ts";

test("on this server, too, an informer loses nothing in two thousand lives, and all that can happen has happened", async () => {
  const run = await runSeeds({ first: 1, count: 2_000, open: openEmbeddedServer, outOfReach });
  console.log(summarize(run));
  expect(run.failures.map((each) => explain(each, folder))).toEqual([]);
  expect(run.coverage.missed).toEqual([]);
  expect(run.reached).toEqual([]);
});
