// `npm run test:long`: what takes an hour and is no part of `npm test`: 2,000 seeds of each simulation (informers and controllers, on the fake
// server and on the embedded one) and 100,000 mutated requests; then, where a real kube-apiserver can be had, everything that compares the embedded
// server with it, and upstream's controller manager with ours, in all scenarios. `npm test` and `.ci/run` have a share of each.
import { runStep, runTests, sayDone } from "./run-step.ts";

process.env["KUBELOOP_SCENARIOS"] = "all";
runTests("long");
runStep("comparison with a real cluster", "../tools/real-cluster/dist/test.js", ["--suite", "differential"]);
sayDone("npm run test:long");
