// kubectl as people use it, on good and bad input: what it prints against this server equals what it prints against a real one.
import { expect, test } from "vitest";
import { kubectlCommands } from "./kubectl-commands.contract.ts";
import { openKubectlComparison } from "./kubectl-comparison.contract.ts";

test("kubectl 1.36 cannot tell the two apart", async () => {
  await using both = await openKubectlComparison();
  const different = await both.compare(both.kubectlPath, kubectlCommands);
  console.log(`kubectl 1.36: ${kubectlCommands.length} commands, ${different.length} print something else`);
  expect(different).toEqual([]);
}, 600_000);
