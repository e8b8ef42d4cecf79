// One run of the driver bench, a process of its own: the same keys through a hand-written worker loop or through a ControllerDriver, with
// a decision that does nothing or one that writes through the embedded server; or events through so many controllers. Prints what it
// cost, in processor time.
import { ApiServer } from "@kubeloop/apiserver";
import { type corev1, keyOf, splitKey } from "@kubeloop/core/api";
import { seededRandom, systemClock, YieldBudget } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import {
  actionsOf,
  type Controller,
  editObject,
  keyed,
  mapped,
  newController,
  nothing,
  Outcome,
  plan,
  queue,
  recordEvent,
  remove,
  verbs,
} from "@kubeloop/core/contract";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import { configMaps, namespaces, pods } from "@kubeloop/core/resources";
import { ControllerDriver, defineController } from "@kubeloop/core/runtime";
import { RateLimitingQueue } from "@kubeloop/core/workqueue";

const [, , mode = "", variant = ""] = process.argv;
const mapCount = 500;
const target = { round: 0 };

/** Processes every key once, and resolves when that is done. */
type Turn = (keys: readonly string[]) => Promise<void>;

/** Counts keys that were looked at while they are as they should be, each once. */
class Progress {
  /** In all. */
  seen = 0;
  readonly #left = new Set<string>();
  #resolve = () => {};

  begin(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#left.add(key);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  done(key: string): void {
    this.seen++;
    if (this.#left.delete(key) && this.#left.size === 0) this.#resolve();
  }
}

async function measure(): Promise<void> {
  await using server = await ApiServer.open({});
  const client = clientOf(server.transport);
  const stop = new AbortController();
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }, stop.signal);
  const maps = client.resource(configMaps).in("shop");
  for (let i = 0; i < mapCount; i++) {
    const metadata = { namespace: "shop", name: `map-${i}` };
    await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { round: "0" } }, stop.signal);
  }
  const informers = new SharedInformerFactory(client, { random: seededRandom(1) });
  const progress = new Progress();
  const started =
    mode === "events" ? startEvents(client, informers) : startLoop(client, informers, progress, stop.signal);
  const running = [informers.run(stop.signal), ...started.tasks(stop.signal)];
  await informers.waitForCacheSync(stop.signal);
  await started.ready();
  const keys = informers.informerFor(configMaps).getIndexer().listKeys().filter(isOurs);
  const rounds = mode === "write" ? 50 : mode === "events" ? 20 : 2000;
  for (let i = 0; i < rounds / 2; i++) await started.turn(keys);
  const startCpu = process.cpuUsage();
  for (let i = 0; i < rounds; i++) await started.turn(keys);
  const { user, system } = process.cpuUsage(startCpu);
  console.log(
    JSON.stringify({
      microseconds: (user + system) / (rounds * keys.length),
    }),
  );
  stop.abort();
  await Promise.allSettled(running);
}

interface Started {
  tasks(signal: AbortSignal): readonly Promise<unknown>[];
  ready(): Promise<void>;
  readonly turn: Turn;
}

function startLoop(client: Client, informers: SharedInformerFactory, progress: Progress, signal: AbortSignal): Started {
  if (variant === "bare") return bareLoop(client, informers, progress, signal);
  const controller = variant === "procedure" ? procedure(progress) : rules(progress);
  const driver = new ControllerDriver(controller, { client, informers });
  return {
    tasks: (stopping) => [driver.run(stopping)],
    ready: () => until(() => driver.state === "working" && progress.seen >= mapCount),
    turn: async (keys) => {
      const done = progress.begin(keys);
      target.round++;
      driver.wake(...keys);
      await done;
    },
  };
}

const wanted = (map: corev1.ConfigMap): corev1.ConfigMap => ({ ...map, data: { round: String(target.round) } });
/** The server makes some config maps of its own. */
const isOurs = (key: string) => key.startsWith("shop/");
const isWanted = (map: corev1.ConfigMap) => mode !== "write" || map.data?.["round"] === String(target.round);

function rules(progress: Progress): Controller {
  return keyed<corev1.ConfigMap>({
    name: "maps",
    primary: configMaps,
    writes: [verbs(configMaps, "patch")],
    observe: (key, { snapshot }) => (isOurs(key) ? snapshot.get(configMaps, key) : undefined),
    decide(map) {
      if (!isWanted(map)) return plan("write", [[editObject(configMaps, map, wanted(map))]]);
      progress.done(keyOf(map));
      return nothing("as wanted");
    },
  });
}

function procedure(progress: Progress): Controller {
  return defineController({
    name: "maps",
    for: configMaps,
    async reconcile({ key }, { reader }) {
      if (isOurs(key) && reader.get(configMaps, key) !== undefined) progress.done(key);
    },
  });
}

function write(client: Client, { metadata }: corev1.ConfigMap, signal: AbortSignal): Promise<unknown> {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  const body = { metadata: { uid, resourceVersion }, data: { round: String(target.round) } };
  return client.resource(configMaps).in(namespace).patch(name, { type: "merge", body }, signal);
}

/** What a controller without any runtime looks like: a queue, a handler, a worker. */
function bareLoop(client: Client, informers: SharedInformerFactory, progress: Progress, signal: AbortSignal): Started {
  const keysToDo = new RateLimitingQueue<string>({ clock: systemClock });
  const informer = informers.informerFor(configMaps);
  const handler = informer.addEventHandler({
    onAdd: (map) => keysToDo.add(keyOf(map)),
    onUpdate: (_before, map) => keysToDo.add(keyOf(map)),
  });
  const look = (key: string): Promise<unknown> | undefined => {
    const map = isOurs(key) ? informer.getIndexer().getByKey(key) : undefined;
    if (map === undefined) return undefined;
    if (!isWanted(map)) return write(client, map, signal);
    progress.done(key);
    return undefined;
  };
  const work = async () => {
    for (let key = await keysToDo.get(signal); key !== undefined; key = await keysToDo.get(signal)) {
      const writing = look(key);
      if (writing !== undefined) await writing;
      keysToDo.forget(key);
      keysToDo.done(key);
    }
  };
  // Writes go through a server in this process, which never waits: without yielding the loop would hold up the event loop for a whole
  // turn, and get all its watch events in one batch. The driver yields, too.
  const workAndYield = async () => {
    const budget = new YieldBudget(systemClock);
    for (let key = await keysToDo.get(signal); key !== undefined; key = await keysToDo.get(signal)) {
      const writing = look(key);
      if (writing !== undefined) await writing;
      keysToDo.forget(key);
      keysToDo.done(key);
      if (budget.isUsedUp()) await budget.yield();
    }
  };
  return {
    tasks: () => [mode === "write" ? workAndYield() : work()],
    ready: () => until(() => handler.hasSynced() && progress.seen >= mapCount),
    turn: async (keys) => {
      const done = progress.begin(keys);
      target.round++;
      for (const key of keys) keysToDo.add(key);
      await done;
    },
  };
}

/** So many controllers hear of each write and have nothing to do about it. */
function startEvents(client: Client, informers: SharedInformerFactory): Started {
  let heard = 0;
  const drivers = Array.from({ length: Number(variant) }, (_, i) => {
    const watch = mapped(configMaps, () => {
      heard++;
      return [];
    });
    const one = queue({ observe: (key) => key, decide: () => nothing("never") });
    return new ControllerDriver(newController({ name: `hearer-${i}`, watches: [watch], queues: { one } }), {
      client,
      informers,
    });
  });
  const maps = client.resource(configMaps).in("shop");
  return {
    tasks: (signal) => drivers.map((driver) => driver.run(signal)),
    ready: () => until(() => drivers.every(({ state }) => state === "working")),
    turn: async (keys) => {
      target.round++;
      // Both the object before and after are asked.
      const expected = heard + 2 * keys.length * drivers.length;
      const body = { data: { round: String(target.round) } };
      for (const key of keys)
        await maps.patch(splitKey(key).name, { type: "merge", body }, new AbortController().signal);
      await until(() => heard >= expected);
    },
  };
}

/** Everything a report asks of the outcome of five thousand actions. */
function reportMs(): number {
  const about = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "shop", name: "web" } };
  const once = () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `shop/pod-${i}`);
    const made = plan("remove", [keys.map((key) => remove(pods, key))]);
    const results = actionsOf(made).map((action) => [action, { status: "done", value: undefined }] as const);
    const startMs = systemClock.monotonic();
    const outcome = new Outcome(made, results);
    const removed = keys.filter((key) => outcome.isDoneOn(pods, key, { type: "delete" }));
    const events = outcome
      .find({ type: "delete", resource: pods })
      .map(() => recordEvent(about, { type: "Normal", reason: "SuccessfulDelete", message: "Deleted pod" }));
    const told = plan("tell", [events]);
    if (removed.length + told.steps.flat().length !== 10_000) throw new Error("not all were found");
    return systemClock.monotonic() - startMs;
  };
  const times = Array.from({ length: 30 }, once);
  return times.toSorted((a, b) => a - b)[15] ?? Number.NaN;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await systemClock.yield();
}

if (mode === "report") console.log(JSON.stringify({ ms: reportMs() }));
else await measure();
