// Our scheduler as a process of its own, for the scheduler bench: without a limit on its requests, without an election. SIGTERM ends it.
//
//   node scheduler-run.js <kubeconfig>
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { Scheduler } from "@kubeloop/scheduler";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("the kubeconfig is missing");
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
await using client = openClient(await loadClusterConfig({ path }, stop.signal));
await new Scheduler({ client }).run(stop.signal).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error;
});
