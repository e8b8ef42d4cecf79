// What takes its time: a minute without events, watches that end in time, twenty thousand objects. Cases run side by side.
import { getEventListeners } from "node:events";
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { compareResourceVersions, type corev1, keyOf } from "../../api/index.ts";
import { deepEqual, Listeners } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import { configMap } from "../../client/integration/objects.contract.ts";
import { readOnce } from "../../client/streams/batched.ts";
import { newListWatchFromClient } from "../reflector/list-watch.ts";
import type { ListerWatcher, WatchRequest } from "../reflector/lister-watcher.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { Line } from "./line.contract.ts";
import { mapInformer, running, Told, untilSo } from "./observed.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);

/** The same source; its watches may be asked for differently, and it says when a batch of them has been taken. */
function tapped(
  source: ListerWatcher<corev1.ConfigMap>,
  taken: Listeners<readonly WatchEvent[]>,
  change: (request: WatchRequest) => WatchRequest = (request) => request,
): ListerWatcher<corev1.ConfigMap> {
  async function* follow(request: WatchRequest, signal: AbortSignal) {
    for await (const batch of source.watch(change(request), signal).batches()) {
      yield batch;
      taken.emit(batch);
    }
  }
  return {
    description: source.description,
    resource: source.resource,
    objectKind: source.objectKind,
    list: (request, signal) => source.list(request, signal),
    watch: (request, signal) => readOnce(follow(request, signal)),
  };
}

const newTaken = () =>
  new Listeners<readonly WatchEvent[]>((error) => {
    throw error;
  });

/** Calls for each number below `count`, so many at a time. */
async function manyAtATime(count: number, atATime: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

const many = 20_000;

export const longCases: readonly InformerCase[] = [
  {
    name: "twenty thousand objects are the same streamed, listed and in pages as in a plain list; stopped, nothing is left",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await manyAtATime(many, 64, (i) => here(stage).create(configMap(`m-${i}`, { i: `${i}` }), signal));
      const { items } = await here(stage).list(signal).toArray();
      expect(items).toHaveLength(many);
      const wanted = new Map(items.map((item) => [keyOf(item), item]));
      for (const options of [{}, { watchListEnabled: false }, { watchListEnabled: false, pageSize: 500 }]) {
        const line = new Line(client);
        const informer = mapInformer({ client: line.client, namespace }, { ...options, freeze: false });
        const told = new Told();
        const registration = informer.addEventHandler(told);
        const stopping = new AbortController();
        const running = informer.run(stopping.signal);
        await informer.whenSynced(signal);
        await registration.whenSynced(signal);
        const cached = informer.getStore().list();
        const different = cached.filter((object) => !deepEqual(object, wanted.get(keyOf(object))));
        expect([cached.length, different, told.events.length]).toEqual([many, [], many]);
        expect(informer.status).toMatchObject({ phase: "watching", size: many, queued: 0, lists: 1, errors: 0 });
        stopping.abort();
        await running;
        expect([line.open, informer.status.phase, registration.pending]).toEqual([0, "stopped", 0]);
        expect(getEventListeners(stopping.signal, "abort")).toHaveLength(0);
      }
    },
  },
  {
    name: "bookmarks carry the version forward while nothing happens that concerns it",
    needs: ["bookmarks"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      await here(stage).create(configMap("a"), signal);
      const taken = newTaken();
      const source = tapped(newListWatchFromClient(client, configMaps, { namespace }), taken);
      const informer = new SharedIndexInformer(source, { freeze: true });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      const nameless = { ...configMap(""), metadata: { generateName: "other-" } };
      const { metadata } = await client.resource(configMaps).in("default").create(nameless, signal);
      const elsewhere = metadata.resourceVersion ?? "";
      const contactMs = informer.status.lastContactMs ?? 0;
      const hasCome = () => compareResourceVersions(informer.lastSyncResourceVersion(), elsewhere) >= 0;
      await untilSo(hasCome, (look) => taken.subscribe(look), signal);
      // No event was told, so nothing but a bookmark can have brought it.
      expect(told.lines).toEqual(["add a"]);
      expect(informer.status).toMatchObject({ phase: "watching", lists: 1, watches: 1, errors: 0 });
      expect(informer.status.lastContactMs).toBeGreaterThan(contactMs);
    },
  },
  {
    name: "a watch that the server ends in time is opened again where it was, without a list",
    async run(stage) {
      const { client, namespace, signal } = stage;
      const line = new Line(client);
      const short = (request: WatchRequest) => ({ ...request, timeoutSeconds: 2 });
      const source = tapped(newListWatchFromClient(line.client, configMaps, { namespace }), newTaken(), short);
      const informer = new SharedIndexInformer(source, { freeze: true });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await informer.whenSynced(signal);
      const listed = line.requests.filter(({ kind }) => kind !== "watch").length;
      for (let ended = 1; ended <= 2; ended++) {
        const { metadata } = await here(stage).create(configMap(`m-${ended}`), signal);
        await told.count(ended, signal);
        const watches = line.requests.filter(({ kind }) => kind === "watch").length;
        await line.untilAnswered("watch", watches + 1, signal);
        // Where it was, or where a bookmark has brought it since.
        const from = line.requests.at(-1)?.resourceVersion ?? "";
        expect(compareResourceVersions(from, metadata.resourceVersion ?? "")).toBeGreaterThanOrEqual(0);
      }
      expect(told.lines).toEqual(["add m-1", "add m-2"]);
      expect(line.requests.filter(({ kind }) => kind !== "watch")).toHaveLength(listed);
      expect(informer.status).toMatchObject({ failingSinceMs: undefined, phase: "watching" });
    },
  },
];
