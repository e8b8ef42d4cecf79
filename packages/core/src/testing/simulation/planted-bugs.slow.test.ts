import { expect, test } from "vitest";
import { loadWithBug } from "./load-with-bug.fixture.ts";
import { plantedBugs } from "./planted-bugs.fixture.ts";

const mostSeeds = 500;

// KUBELOOP_SEED has no effect here: for each bug, seeds are tried in order until one shows the bug.
for (const bug of plantedBugs) {
  test(`the simulation notices: ${bug.name}`, async () => {
    await using buggy = await loadWithBug(bug);
    for (let seed = 1; seed <= mostSeeds; seed++) {
      const { violations } = await buggy.simulate(seed);
      if (violations.length === 0) continue;
      console.log(`${bug.name}: seed ${seed} shows it: ${violations[0]}`);
      return;
    }
    expect.fail(`${mostSeeds} seeds have not shown it`);
  });
}
