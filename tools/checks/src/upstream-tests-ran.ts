// After the tests: whether those that rows name have run and passed, by vitest's own reports. Ends the process with 1 if not.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printShares, readControllerTestRows } from "./controller-tests.ts";
import { repositoryRoot } from "./repository.ts";
import { findUnshownTests, readUpstreamRows } from "./upstream-tests.ts";

/** `unit` looks at what the quick gate runs, `slow` at the rest. */
export function checkUpstreamTestsRan(project: "unit" | "slow"): void {
  const name = `${project}-node${process.versions.node.split(".")[0]}.json`;
  const report = readFileSync(join(repositoryRoot, ".cache/test-results", name), "utf8");
  const isSlow = (file: string) => file.endsWith(".slow.test.ts");
  const isWanted = (file: string) => !file.endsWith(".kubernetes.test.ts") && isSlow(file) === (project === "slow");
  const controllers = readControllerTestRows();
  const rows = [...readUpstreamRows(), ...Object.values(controllers).flat()];
  const unshown = findUnshownTests(rows, [report], isWanted);
  for (const fault of unshown) console.error(fault);
  if (unshown.length > 0) process.exit(1);
  console.log(`client-go's tests shown by ${project} tests: ok`);
  if (project === "unit") console.log(`tests of Kubernetes' controllers that ours show: ${printShares(controllers)}`);
}
