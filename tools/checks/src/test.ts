// The rest of `npm test`, after the quick gate: everything else that needs nothing but Node.
import { runTests, sayDone } from "./run-step.ts";
import { printCounts } from "./test-counts.ts";
import { checkUpstreamTestsRan } from "./upstream-tests-ran.ts";

runTests("slow");
checkUpstreamTestsRan("slow");
runTests("packaging");
sayDone("npm test, after the check");
printCounts(["unit", "slow", "packaging"].map((project) => `${project}-node${process.versions.node.split(".")[0]}`));
