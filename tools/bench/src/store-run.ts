// One run of the store bench, a process of its own: reads from the cache in turns with the least that could answer (a bare
// Map, a prepared array), or fills one of the two with pods and prints the heap they take.
import { systemClock } from "@kubeloop/core/base";
import { IndexedStore } from "../../../packages/core/dist/esm/informer/store/indexed-store.js";
import { namespaceIndexers } from "../../../packages/core/dist/esm/informer/store/key-functions.js";
import { stripManagedFields } from "../../../packages/core/dist/esm/informer/store/strip-managed-fields.js";
import { printPod } from "./raw-floor-pods.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: { readonly app: string } };
}

export interface ReadRound {
  readonly oursNs: number;
  readonly floorNs: number;
}

const [, , what = "", sizeText = ""] = process.argv;
const size = Number(sizeText);
const hits = 100;
const roundCount = 15;

switch (what) {
  case "getByKey":
    console.log(JSON.stringify(readByKey()));
    break;
  case "byIndex":
    console.log(JSON.stringify(readByIndex()));
    break;
  default:
    console.log(JSON.stringify(heldBytes()));
}

/** Keys as a caller has them: equal to those of Map and store, and no string of either. */
function readByKey(): readonly ReadRound[] {
  const pods = smallPods();
  const map = new Map(pods.map((pod) => [keyOf(pod), pod]));
  const store = filledStore(pods);
  const keys = shuffled(pods.map(keyOf));
  const calls = 1_000_000;
  const ours = () => {
    let found = 0;
    for (let i = 0, at = 0; i < calls; i++) {
      if (store.getByKey(keys[at] as string) !== undefined) found++;
      if (++at === keys.length) at = 0;
    }
    return found;
  };
  const floor = () => {
    let found = 0;
    for (let i = 0, at = 0; i < calls; i++) {
      if (map.get(keys[at] as string) !== undefined) found++;
      if (++at === keys.length) at = 0;
    }
    return found;
  };
  return inTurns(ours, floor, calls);
}

/** A hundred objects for each value, all values in turn; each answer is walked. */
function readByIndex(): readonly ReadRound[] {
  const pods = smallPods();
  const store = filledStore(pods);
  const apps = shuffled(Array.from({ length: size / hits }, (_, at) => appOf(at)));
  const prepared = apps.map((app) => store.byIndex("app", app).slice());
  const calls = 20_000;
  const ours = () => {
    let letters = 0;
    for (let i = 0, at = 0; i < calls; i++) {
      letters += walk(store.byIndex("app", apps[at] as string));
      if (++at === apps.length) at = 0;
    }
    return letters;
  };
  const floor = () => {
    let letters = 0;
    for (let i = 0, at = 0; i < calls; i++) {
      letters += walk(prepared[at] as readonly Pod[]);
      if (++at === apps.length) at = 0;
    }
    return letters;
  };
  return inTurns(ours, floor, calls);
}

/** Of `size` pods of 4.7 KB, as parsed: in a bare Map, in the store with the index by namespace, or transformed first. */
function heldBytes(): { readonly bytes: number; readonly cpuMs: number } {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  const map = new Map<string, Pod>();
  const store = new IndexedStore<Pod>({
    indexers: namespaceIndexers,
    ...(what === "transform" ? { transform: stripManagedFields<Pod>() } : {}),
  });
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const startCpu = process.cpuUsage();
  for (let i = 0; i < size; i++) {
    const pod = JSON.parse(printPod(i)) as Pod;
    if (what === "map") map.set(keyOf(pod), pod);
    else store.add(pod);
  }
  // Readers leave their arrays behind: they count, too.
  for (const namespace of store.listIndexFuncValues("namespace")) store.byIndex("namespace", namespace);
  const { user, system } = process.cpuUsage(startCpu);
  globalThis.gc();
  globalThis.gc();
  const bytes = process.memoryUsage().heapUsed - before;
  if (map.size + store.size !== size) throw new Error(`${map.size + store.size} pods are held, not ${size}`);
  return { bytes, cpuMs: (user + system) / 1000 };
}

function inTurns(ours: () => number, floor: () => number, calls: number): readonly ReadRound[] {
  const timed = (read: () => number) => {
    const start = systemClock.monotonic();
    const answer = read();
    return { answer, ns: ((systemClock.monotonic() - start) * 1e6) / calls };
  };
  // The first are the compiler's.
  for (let i = 0; i < 3; i++) if (ours() !== floor()) throw new Error("the two answer differently");
  return Array.from({ length: roundCount }, () => ({ floorNs: timed(floor).ns, oursNs: timed(ours).ns }));
}

function smallPods(): readonly Pod[] {
  return Array.from({ length: size }, (_, at) => ({
    metadata: { name: `pod-${at}`, namespace: `team-${at % 40}`, labels: { app: appOf(at % (size / hits)) } },
  }));
}

function filledStore(pods: readonly Pod[]): IndexedStore<Pod> {
  const store = new IndexedStore<Pod>({
    indexers: { ...namespaceIndexers, app: ({ metadata }) => [metadata.labels.app] },
  });
  store.replace(pods, "1");
  return store;
}

function appOf(at: number): string {
  return `app-${at}`;
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function walk(pods: readonly Pod[]): number {
  let letters = 0;
  for (const { metadata } of pods) letters += metadata.name.length;
  return letters;
}

/** Always in the same disorder. */
function shuffled<T>(items: T[]): T[] {
  let state = 12_345;
  for (let last = items.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const other = state % (last + 1);
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}
