// `npm run test:long`: what takes hours and is no part of `npm test`: 2,000 seeds of each simulation (informers and controllers, on the fake
// server and on the embedded one), 100,000 mutated requests, and 100 seeds of each scenario of a built-in controller; then, where a real
// kube-apiserver can be had, everything that compares the embedded server with it, and upstream's controller manager with ours, in all
// scenarios, the hand-over between the two, our manager killed in the midst of requests, and 10,000 drawn objects of each of six kinds in both encodings. `npm test` and `.ci/run` have a share of each.
import { runStep, runTests, sayDone } from "./run-step.ts";

process.env["KUBELOOP_SCENARIOS"] = "all";
process.env["KUBELOOP_SEEDS"] = "100";
runTests("long");
runTests("slow", ["packages/controllers"]);
const realCluster = "../tools/real-cluster/dist/test.js";
runStep("comparison with a real cluster", realCluster, ["--suite", "differential"]);
runStep("hand-over and kills", realCluster, ["hand-over.kubernetes.test.ts", "kills.kubernetes.test.ts"]);
runStep("drawn objects in both encodings", realCluster, ["drawn-objects.kubernetes.test.ts"]);
sayDone("npm run test:long");
