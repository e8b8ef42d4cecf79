// One run of the queue bench, a process of its own: adds, takes and finishes the same keys with one of the two queues, a
// thousand waiting at a time or a million, and prints what it cost; or fills a queue with delayed keys and prints the memory.
import { systemClock } from "@kubeloop/core/base";
import { RateLimitingQueue, WorkQueue } from "@kubeloop/core/workqueue";

const [, , reader = "", sizeText = ""] = process.argv;
const size = Number(sizeText);
const keys = Array.from({ length: size }, (_, i) => `namespace-${i % 97}/name-${i}`);
// The same number of keys in all, however many wait at once.
const rounds = Math.max(1, Math.round(2_000_000 / size));

if (reader === "delayed") console.log(JSON.stringify({ mb: delayedMb() }));
else {
  const turn = reader === "ours" ? ourTurn() : bareTurn();
  for (let i = 0; i < Math.min(rounds, 200); i++) turn();
  const startCpu = process.cpuUsage();
  for (let i = 0; i < rounds; i++) turn();
  const { user, system } = process.cpuUsage(startCpu);
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000 }));
}

function ourTurn(): () => void {
  const queue = new WorkQueue<string>({ clock: systemClock });
  return () => {
    for (const key of keys) queue.add(key);
    for (let key = queue.take(); key !== undefined; key = queue.take()) queue.done(key);
  };
}

/** The least that deduplicates: a Set, and an array that is read by position. */
function bareTurn(): () => void {
  return () => {
    const known = new Set<string>();
    const waiting: string[] = [];
    for (const key of keys) {
      if (known.has(key)) continue;
      known.add(key);
      waiting.push(key);
    }
    for (const key of waiting) known.delete(key);
  };
}

function delayedMb(): number {
  const before = process.memoryUsage().rss;
  const queue = new RateLimitingQueue<string>({ clock: systemClock });
  // In no order, as failures come.
  for (let i = 0; i < size; i++) queue.addAfter(keys[i] ?? "", 3_600_000 + ((i * 7919) % 1_000_003));
  if (queue.delayedSize !== size) throw new Error(`${queue.delayedSize} keys are delayed, not ${size}`);
  const mb = (process.memoryUsage().rss - before) / 1024 / 1024;
  queue.shutDown();
  return mb;
}
