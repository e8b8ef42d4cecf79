// `npm run bench [-- NAME…]`: measures against budgets and prints each with its verdict; a missed one makes the exit code 1.
import { measureApiServer } from "./api-server.ts";
import { isKept, type Measurement, printMeasurement } from "./budget.ts";
import { measureColdStart } from "./cold-start.ts";
import { measureDriver } from "./driver.ts";
import { measureEventCost } from "./event-cost.ts";
import { measureIdleInformers } from "./idle-informers.ts";
import { measureImportCost } from "./import-cost.ts";
import { measureInformer } from "./informer.ts";
import { measureInstallSize } from "./install-size.ts";
import { measureListDecoding } from "./list-decoding.ts";
import { measureManager } from "./manager.ts";
import { measureOperator } from "./operator.ts";
import { measureScheduler } from "./scheduler.ts";
import { measureStore } from "./store-reads.ts";
import { measureUp } from "./up.ts";
import { measureVirtualHour } from "./virtual-hour.ts";
import { measureWatchDecoding } from "./watch-decoding.ts";
import { measureWorkQueue } from "./workqueue.ts";

type Awaitable<T> = T | Promise<T>;

const benches: Readonly<Record<string, () => Awaitable<readonly Measurement[]>>> = {
  "import-cost": measureImportCost,
  "cold-start": measureColdStart,
  "install-size": measureInstallSize,
  "list-decoding": measureListDecoding,
  "watch-decoding": measureWatchDecoding,
  store: measureStore,
  informer: measureInformer,
  "idle-informers": measureIdleInformers,
  workqueue: measureWorkQueue,
  driver: measureDriver,
  "event-cost": measureEventCost,
  "api-server": measureApiServer,
  operator: measureOperator,
  manager: measureManager,
  scheduler: measureScheduler,
  up: measureUp,
  "virtual-hour": measureVirtualHour,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`bench: no bench called ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}`);
  process.exit(1);
}
console.log(`Node ${process.versions.node}, ${process.platform}/${process.arch}`);
let missed = 0;
for (const [name, measure] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const measurement of await measure()) {
    console.log(printMeasurement(measurement));
    if (!isKept(measurement)) missed++;
  }
}
if (missed > 0) {
  console.error(`bench: ${missed} budgets missed`);
  process.exit(1);
}
