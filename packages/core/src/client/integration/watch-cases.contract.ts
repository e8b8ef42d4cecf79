// Watches: what they tell, from where, with bookmarks and initial events, and how they end.
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { compareResourceVersions, isInvalid, isResourceExpired, StatusError } from "../../api/index.ts";
import type { WatchEvent } from "../streams/watch-event.ts";
import type { ClientCase, Stage } from "./client-suite.contract.ts";
import { configMap, haveWidgets, refusal, take, tellings, untilEvent, widget } from "./objects.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);

async function versionNow(stage: Stage): Promise<string> {
  const { metadata } = await here(stage).list(stage.signal).toArray();
  return metadata.resourceVersion ?? "";
}

const isInitialEnd = (event: WatchEvent) =>
  event.type === "BOOKMARK" && event.object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";

const told: readonly ClientCase[] = [
  {
    name: "a watch tells what happened since its version, in order",
    async run(stage) {
      const { signal } = stage;
      const resourceVersion = await versionNow(stage);
      const created = await here(stage).create(configMap("a"), signal);
      const patched = await here(stage).patch("a", { type: "merge", body: { data: { x: "1" } } }, signal);
      await here(stage).delete("a", signal);
      const events = await take(3, here(stage).watch({ resourceVersion }, signal));
      expect(tellings(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
      expect(events.slice(0, 2).map(({ object }) => object)).toEqual([created, patched]);
    },
  },
  {
    name: "a watch of custom objects, of metadata alone, and over all namespaces",
    needs: ["customResources", "apply"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      const resource = await haveWidgets(client, signal);
      const widgets = client.resource(resource).in(namespace);
      const { resourceVersion = "" } = (await widgets.list(signal).toArray()).metadata;
      const made = await widgets.create(widget("a"), signal);
      const [event] = await take(1, widgets.watch({ resourceVersion }, signal));
      expect(event).toEqual({ type: "ADDED", object: made });
      const [partial] = await take(1, client.metadata(resource).in(namespace).watch({ resourceVersion }, signal));
      const object = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: made.metadata };
      expect(partial).toEqual({ type: "ADDED", object });
      const anywhere = client.resource(resource).watch({ resourceVersion }, signal);
      const mine = await untilEvent(anywhere, ({ object }) => object.metadata.namespace === namespace);
      expect(mine.object).toEqual(made);
    },
  },
  {
    name: "a selector turns changes into arrivals and departures",
    async run(stage) {
      const { signal } = stage;
      const resourceVersion = await versionNow(stage);
      await here(stage).create(configMap("a"), signal);
      await here(stage).patch("a", { type: "merge", body: { metadata: { labels: { app: "x" } } } }, signal);
      await here(stage).patch("a", { type: "merge", body: { metadata: { labels: { app: "y" } } } }, signal);
      const events = await take(2, here(stage).watch({ resourceVersion, labelSelector: "app=x" }, signal));
      expect(tellings(events)).toEqual(["ADDED a", "DELETED a"]);
    },
  },
  {
    name: "a watch from any version begins with what is there",
    async run(stage) {
      const { signal } = stage;
      await here(stage).create(configMap("a"), signal);
      const { resourceVersion = "" } = (await here(stage).create(configMap("b"), signal)).metadata;
      // Whatever the server has at hand now has both.
      await here(stage).list({ resourceVersion, resourceVersionMatch: "NotOlderThan" }, signal).toArray();
      const events = await take(2, here(stage).watch({ resourceVersion: "0" }, signal));
      expect([...tellings(events)].sort()).toEqual(["ADDED a", "ADDED b"]);
    },
  },
  {
    name: "the server ends a watch in time, and it can be opened again where it was",
    async run(stage) {
      const { signal } = stage;
      const resourceVersion = await versionNow(stage);
      await here(stage).create(configMap("a"), signal);
      const events: WatchEvent[] = [];
      for await (const event of here(stage).watch({ resourceVersion, timeoutSeconds: 1 }, signal)) events.push(event);
      const objects = events.filter(({ type }) => type !== "BOOKMARK");
      expect(tellings(objects)).toEqual(["ADDED a"]);
      const [first] = objects;
      if (first === undefined || first.type === "ERROR") throw new Error("no event");
      await here(stage).create(configMap("b"), signal);
      const at = first.object.metadata.resourceVersion ?? "";
      expect(tellings(await take(1, here(stage).watch({ resourceVersion: at }, signal)))).toEqual(["ADDED b"]);
    },
  },
];

const marked: readonly ClientCase[] = [
  {
    name: "bookmarks tell how far a watch has come, unless declined",
    needs: ["bookmarks"],
    async run(stage) {
      const { client, signal } = stage;
      // Servers send one shortly before they end a watch, if anything has happened meanwhile, wherever it was.
      const options = { resourceVersion: await versionNow(stage), timeoutSeconds: 4 };
      await here(stage).create(configMap("a"), signal);
      const declining = take(9, here(stage).watch({ ...options, allowWatchBookmarks: false }, signal));
      let elsewhere = "";
      const marks: string[] = [];
      for await (const event of here(stage).watch(options, signal)) {
        if (event.type === "ADDED") {
          const nameless = { ...configMap(""), metadata: { generateName: "x-" } };
          const { metadata } = await client.resource(configMaps).in("default").create(nameless, signal);
          elsewhere = metadata.resourceVersion ?? "";
        }
        if (event.type !== "BOOKMARK") continue;
        expect(event.object.kind).toBe("ConfigMap");
        marks.push(event.object.metadata.resourceVersion);
      }
      expect(compareResourceVersions(marks.at(-1) ?? "0", elsewhere)).toBeGreaterThanOrEqual(0);
      expect(tellings(await declining)).toEqual(["ADDED a"]);
    },
  },
  {
    name: "initial events come first, then a bookmark says that they are all",
    needs: ["watchList"],
    async run(stage) {
      const { signal } = stage;
      for (const name of ["a", "b"]) await here(stage).create(configMap(name), signal);
      const events: WatchEvent[] = [];
      for await (const event of here(stage).watch({ sendInitialEvents: true }, signal)) {
        events.push(event);
        if (isInitialEnd(event)) await here(stage).create(configMap("c"), signal);
        if (event.type === "ADDED" && event.object.metadata.name === "c") break;
      }
      expect([...tellings(events.slice(0, 2))].sort()).toEqual(["ADDED a", "ADDED b"]);
      expect(events.slice(2).map(({ type }) => type)).toEqual(["BOOKMARK", "ADDED"]);
    },
  },
  {
    name: "initial events of nothing are only their end",
    needs: ["watchList"],
    async run(stage) {
      const [event] = await take(1, here(stage).watch({ sendInitialEvents: true, resourceVersion: "0" }, stage.signal));
      expect(event !== undefined && isInitialEnd(event)).toBe(true);
    },
  },
  {
    name: "initial events of metadata alone",
    needs: ["watchList"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      await here(stage).create(configMap("a"), signal);
      const events = await take(
        2,
        client.metadata(configMaps).in(namespace).watch({ sendInitialEvents: true }, signal),
      );
      expect(events.map(({ type, object }) => [type, object.kind])).toEqual([
        ["ADDED", "PartialObjectMetadata"],
        ["BOOKMARK", "PartialObjectMetadata"],
      ]);
    },
  },
  {
    name: "initial events are refused by a server without them",
    needs: ["noWatchList"],
    async run(stage) {
      const refused = await refusal(take(1, here(stage).watch({ sendInitialEvents: true }, stage.signal)));
      expect(isInvalid(refused)).toBe(true);
    },
  },
];

const ends: readonly ClientCase[] = [
  {
    name: "a watch from a version that was forgotten is told so",
    needs: ["forget"],
    async run(stage) {
      const { target, signal } = stage;
      const resourceVersion = await versionNow(stage);
      await here(stage).create(configMap("a"), signal);
      await target.forget?.(signal);
      const expired = take(1, here(stage).watch({ resourceVersion }, signal)).then(([event]) => {
        // Before the stream began, or within it: servers do both.
        if (event?.type !== "ERROR") throw new Error(`${event?.type} instead of an error`);
        throw new StatusError(event.object);
      });
      expect(isResourceExpired(await refusal(expired))).toBe(true);
    },
  },
  {
    name: "many watches and gets share a client",
    async run(stage) {
      const { signal } = stage;
      const resourceVersion = await versionNow(stage);
      const watching = Array.from({ length: 120 }, () => take(1, here(stage).watch({ resourceVersion }, signal)));
      await here(stage).create(configMap("a"), signal);
      const events = await Promise.all(watching);
      expect(events.every(([event]) => event?.type === "ADDED")).toBe(true);
    },
  },
];

export const watchCases: readonly ClientCase[] = [...told, ...marked, ...ends];
