// The embedded server in a process of its own, as `kubeloop up` runs it: says where it is on one line, and on SIGUSR2 how long the event
// loop was held up at worst.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiServer } from "@kubeloop/apiserver";

const server = await ApiServer.open();
const { url, admin } = await server.listen();
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on("SIGUSR2", () => {
  console.log(JSON.stringify({ p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 }));
  delay.reset();
});
// By its own exit, so that a profile is written.
process.on("SIGTERM", () => process.exit(0));
console.log(JSON.stringify({ url, token: admin.token, ca: admin.caPem, rssMb: process.memoryUsage().rss / 2 ** 20 }));
