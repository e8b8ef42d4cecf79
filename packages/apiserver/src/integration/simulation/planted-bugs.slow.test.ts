// Whether the simulation can fail on this server.
import { join } from "node:path";
import { loadWithBug } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";
import { foundBugs } from "./planted-bugs.contract.ts";

const entry = join(import.meta.dirname, "informer-simulation.contract.ts");
const mostSeeds = 40;

test.each(foundBugs)("the simulation notices: $name", async (bug) => {
  await using buggy = await loadWithBug(bug, entry);
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violations } = await buggy.simulate(seed);
    if (violations.length === 0) continue;
    console.log(`${bug.name}: seed ${seed} shows it: ${violations[0]}`);
    return;
  }
  expect.fail(`${mostSeeds} seeds have not shown it`);
});
