// `npm run check`, the quick gate: format, lint, types (the build has just checked them), unit and architecture tests,
// public names, documents. About a minute.
import { runStep, runTests, sayDone } from "./run-step.ts";
import { checkUpstreamTestsRan } from "./upstream-tests-ran.ts";

runStep("format and lint", "@biomejs/biome/bin/biome", ["ci", "--error-on-warnings", "."]);
runTests("unit");
checkUpstreamTestsRan("unit");
sayDone("npm run check");
