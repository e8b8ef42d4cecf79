// `npm run fuzz -- --requests 100000 --seed 7`: prints how long it took and what was answered, and exits with 1 on a violation, saying
// how to repeat it. The servers run on a thread of their own, so that one that never comes back is found too.

import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { systemClock } from "@kubeloop/core/base";
import { fuzz, printReport, roundSize } from "./fuzz.contract.ts";

interface Plan {
  readonly seed: number;
  readonly requests: number;
  readonly stallMs: number;
  /** Where the thread is: the seed of its round, and the request in it. */
  readonly place: Int32Array;
}

const stuckMs = 60_000;

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      requests: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      "stall-ms": { type: "string", default: "1000" },
    },
  });
  const whole = (name: keyof typeof values): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value > 0) return value;
    console.error(`--${name} must be a whole number above 0, got ${values[name]}`);
    process.exit(1);
  };
  const place = new Int32Array(new SharedArrayBuffer(8));
  return { seed: whole("seed"), requests: whole("requests"), stallMs: whole("stall-ms"), place };
}

/** Ends the program. */
function watch(plan: Plan): void {
  const worker = new Worker(new URL(import.meta.url), { workerData: plan });
  let last = "";
  const look = () => {
    const [seed = 0, index = 0] = plan.place;
    const at = `${seed} ${index}`;
    if (at === last) {
      console.error(`VIOLATION: stuck at request ${index} (repeat with --seed ${seed} --requests ${roundSize})`);
      process.exit(1);
    }
    last = at;
    systemClock.after(stuckMs, look);
  };
  systemClock.after(stuckMs, look);
  worker.on("message", ({ text, isClean }: { readonly text: string; readonly isClean: boolean }) => {
    console.log(text);
    process.exit(isClean ? 0 : 1);
  });
  worker.on("error", (error) => {
    const [seed, index] = plan.place;
    console.error(`VIOLATION: the process would have died at request ${index} of seed ${seed}`, error);
    process.exit(1);
  });
}

async function attack({ seed, requests, stallMs, place }: Plan): Promise<void> {
  const onRequest = (roundSeed: number, index: number) => {
    place[0] = roundSeed;
    place[1] = index;
  };
  const report = await fuzz({ seed, requests, stallMs, onRequest });
  parentPort?.postMessage({ text: printReport(report), isClean: report.violations.length === 0 });
}

if (isMainThread) watch(readPlan());
else await attack(workerData as Plan);
