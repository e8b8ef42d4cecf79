// The rest of `npm test`, after the quick gate: everything else that needs nothing but Node. `-- packaging` runs that alone:
// what CI does on the newest Node, where the slow tests (seeds and aborts by the thousand) would say nothing new.
import { runTests, sayDone } from "./run-step.ts";
import { printCounts } from "./test-counts.ts";
import { checkUpstreamTestsRan } from "./upstream-tests-ran.ts";

const isPackagingOnly = process.argv.includes("packaging");
if (!isPackagingOnly) {
  runTests("slow");
  checkUpstreamTestsRan("slow");
}
runTests("packaging");
sayDone("npm test, after the check");
const projects = ["unit", ...(isPackagingOnly ? [] : ["slow"]), "packaging"];
printCounts(projects.map((project) => `${project}-node${process.versions.node.split(".")[0]}`));
