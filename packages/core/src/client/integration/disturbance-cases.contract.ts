// What happens when somebody interrupts: the caller by its signal, the server by falling silent or starting anew.
import { expect } from "vitest";
import { configMaps, pods } from "../../api/generated/resources.ts";
import { isResourceExpired, StatusError, TransportError } from "../../api/index.ts";
import { systemClock } from "../../base/index.ts";
import type { WatchEvent } from "../streams/watch-event.ts";
import type { ClientCase, Stage } from "./client-suite.contract.ts";
import { configMap, names, pod, take, tellings } from "./objects.contract.ts";

/** Makes a call of each kind at once; by kind, what it threw. */
async function outcomesOfEachKind({ client, namespace }: Stage, signal: AbortSignal): Promise<Record<string, unknown>> {
  const maps = client.resource(configMaps).in(namespace);
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } } as const;
  const calls = {
    get: maps.get("a", signal),
    list: maps.list(signal).toArray(),
    watch: take(1, maps.watch({ resourceVersion: "0" }, signal)),
    create: maps.create(configMap("new"), signal),
    update: maps.update(configMap("a"), signal),
    patch: maps.patch("a", { type: "merge", body: {} }, signal),
    apply: maps.apply(configMap("a"), { fieldManager: "mine" }, signal),
    delete: maps.delete("a", signal),
    deleteCollection: maps.deleteCollection({}, signal),
    table: maps.table(signal),
    eviction: client.resource(pods).in(namespace).subresource("eviction").create("a", eviction, signal),
    log: take(1, client.podLogs({ namespace, name: "a" }, signal)),
    metadata: client.metadata(configMaps).in(namespace).get("a", signal),
  };
  const outcomes = Object.entries(calls).map(
    async ([kind, call]) =>
      [
        kind,
        await call.then(
          () => "answered",
          (error: unknown) => error,
        ),
      ] as const,
  );
  return Object.fromEntries(await Promise.all(outcomes));
}

function expectAll(outcomes: Record<string, unknown>, reason: Error): void {
  expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((kind) => [kind, reason])));
}

const byTheCaller: readonly ClientCase[] = [
  {
    name: "a call whose signal has fired is not made",
    async run(stage) {
      const reason = new Error("enough");
      expectAll(await outcomesOfEachKind(stage, AbortSignal.abort(reason)), reason);
      expect((await stage.client.resource(configMaps).in(stage.namespace).list(stage.signal).toArray()).items).toEqual(
        [],
      );
    },
  },
  {
    name: "calls of each kind end with the signal's reason, while the server is silent",
    needs: ["pause"],
    async run(stage) {
      const { target, client, namespace, signal } = stage;
      const maps = client.resource(configMaps).in(namespace);
      await maps.create(configMap("a"), signal);
      await client.resource(pods).in(namespace).create(pod("a"), signal);
      const reason = new Error("enough");
      const controller = new AbortController();
      target.pause?.();
      try {
        const calling = outcomesOfEachKind(stage, controller.signal);
        // Until all of them are on their way.
        for (let turn = 0; turn < 20; turn++) await systemClock.yield();
        controller.abort(reason);
        // The server says nothing before it is resumed: whatever ends now ends by the signal.
        expectAll(await calling, reason);
      } finally {
        target.resume?.();
      }
      await maps.list(signal).toArray();
    },
  },
  {
    name: "an idle watch ends with the signal's reason",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      await maps.create(configMap("a"), signal);
      const { resourceVersion = "" } = (await maps.list(signal).toArray()).metadata;
      await maps.create(configMap("b"), signal);
      const controller = new AbortController();
      const watch = maps.watch({ resourceVersion }, controller.signal).batches();
      expect(tellings((await watch.next()).value ?? [])).toEqual(["ADDED b"]);
      const idle = watch.next();
      const reason = new Error("enough");
      await systemClock.yield();
      controller.abort(reason);
      await expect(idle).rejects.toBe(reason);
    },
  },
  {
    name: "a list ends with the signal's reason between two pages",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      for (const name of ["a", "b", "c"]) await maps.create(configMap(name, { large: "x".repeat(200_000) }), signal);
      const controller = new AbortController();
      const reason = new Error("enough");
      const read = async () => {
        for await (const _ of maps.list({ pageSize: 1 }, controller.signal)) controller.abort(reason);
      };
      await expect(read()).rejects.toBe(reason);
    },
  },
  {
    // Inside one process a page is there whole, or not at all.
    name: "a list ends with the signal's reason in the middle of a page",
    needs: ["sockets"],
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      for (const name of ["a", "b", "c"]) await maps.create(configMap(name, { large: "x".repeat(200_000) }), signal);
      const controller = new AbortController();
      const reason = new Error("enough");
      const read = async () => {
        for await (const _ of maps.list({ pageSize: 0 }, controller.signal)) controller.abort(reason);
      };
      await expect(read()).rejects.toBe(reason);
    },
  },
];

const byTheServer: readonly ClientCase[] = [
  {
    name: "a watch is told when the server goes, and the next calls find it again",
    needs: ["restart"],
    async run({ target, client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const { resourceVersion = "" } = (await maps.list(signal).toArray()).metadata;
      await maps.create(configMap("a"), signal);
      const watch = maps.watch({ resourceVersion }, signal).batches();
      const first: readonly WatchEvent[] = (await watch.next()).value ?? [];
      expect(tellings(first)).toEqual(["ADDED a"]);
      const ending = readToEnd(watch);
      await target.restart?.("abruptly", signal);
      const end = await ending;
      // Cleanly, or by an error of the transport.
      expect(end === undefined || end instanceof TransportError).toBe(true);
      const seen = await maps.get("a", signal);
      await maps.create(configMap("b"), signal);
      const again = { resourceVersion: seen.metadata.resourceVersion ?? "" };
      const [event] = await take(1, maps.watch(again, signal));
      // A server that kept its history goes on where the watch was; one with a fresh cache says that it cannot.
      if (event?.type === "ERROR") expect(isResourceExpired(new StatusError(event.object))).toBe(true);
      else expect(event === undefined ? [] : tellings([event])).toEqual(["ADDED b"]);
      const { items, metadata } = await maps.list(signal).toArray();
      expect(names(items)).toEqual(["a", "b"]);
      await maps.create(configMap("c"), signal);
      const now = { resourceVersion: metadata.resourceVersion ?? "" };
      expect(tellings(await take(1, maps.watch(now, signal)))).toEqual(["ADDED c"]);
    },
  },
  {
    name: "a call that fails says whether it may have been carried out",
    needs: ["restart"],
    async run({ target, client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const restarting = target.restart?.("in order", signal);
      const outcomes: unknown[] = [];
      let isBack = false;
      const back = restarting?.then(() => {
        isBack = true;
      });
      while (!isBack) {
        outcomes.push(
          await maps
            .create({ ...configMap(""), metadata: { generateName: "x-" } }, signal)
            .catch((error: unknown) => error),
        );
        await systemClock.yield();
      }
      await back;
      const errors = outcomes.filter((outcome) => outcome instanceof Error);
      for (const error of errors) {
        if (error instanceof TransportError) expect(["no", "maybe"]).toContain(error.wasSent);
        else expect(error).toBeInstanceOf(StatusError);
      }
      const made = outcomes.length - errors.length;
      const { items } = await maps.list(signal).toArray();
      const unclear = errors.filter((error) => !(error instanceof TransportError) || error.wasSent === "maybe").length;
      expect(items.length >= made && items.length <= made + unclear).toBe(true);
    },
  },
];

async function readToEnd(watch: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of watch);
    return undefined;
  } catch (error) {
    return error;
  }
}

export const disturbanceCases: readonly ClientCase[] = [...byTheCaller, ...byTheServer];
