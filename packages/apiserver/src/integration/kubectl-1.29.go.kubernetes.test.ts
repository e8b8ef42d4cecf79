// The oldest kubectl that is supported, through the same commands: it asks in older ways (for discovery in a version that is gone, for
// streams by SPDY), and both servers must answer those alike too.
import { findBinaries } from "@kubeloop/real-cluster";
import { expect, test } from "vitest";
import { kubectlCommands } from "./kubectl-commands.contract.ts";
import { openKubectlComparison } from "./kubectl-comparison.contract.ts";

test("kubectl 1.29 cannot tell the two apart", async () => {
  const binaries = await findBinaries(["kubectl-1.29"], {}, new AbortController().signal);
  await using both = await openKubectlComparison();
  const different = await both.compare(binaries.get("kubectl-1.29") ?? "kubectl-1.29", kubectlCommands);
  console.log(`kubectl 1.29: ${kubectlCommands.length} commands, ${different.length} print something else`);
  expect(different).toEqual([]);
}, 600_000);
