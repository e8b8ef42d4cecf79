// Whether the simulation can fail on this server: bugs that the one on the fake server finds are found here, too.
import { join } from "node:path";
import { loadWithBug, plantedBugs } from "@kubeloop/simulation-suite";
import { expect, test } from "vitest";

const entry = join(import.meta.dirname, "informer-simulation.contract.ts");
const mostSeeds = 20;
const names = [
  "a relist does not tell of what is gone",
  "a watch that is opened again starts where the list was",
  "a failure is tried again at once",
  "an index keeps what an object no longer is",
];

test.each(names)("the simulation notices: %s", { timeout: 120_000 }, async (name) => {
  const bug = plantedBugs.find((each) => each.name === name);
  if (bug === undefined) throw new Error("no such bug");
  await using buggy = await loadWithBug(bug, entry);
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violations } = await buggy.simulate(seed);
    if (violations.length === 0) continue;
    console.log(`${name}: seed ${seed} shows it: ${violations[0]}`);
    return;
  }
  expect.fail(`${mostSeeds} seeds have not shown it`);
});
