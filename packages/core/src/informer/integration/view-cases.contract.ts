// What of a collection an informer shows, and how it is read: namespaces, selectors, metadata, transforms, indexes, listers.
import { expect } from "vitest";
import { configMaps, namespaces } from "../../api/generated/resources.ts";
import type { corev1 } from "../../api/index.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import {
  configMap,
  haveWidgets,
  names,
  refusal,
  type Widget,
  widget,
} from "../../client/integration/objects.contract.ts";
import { Lister } from "../lister/lister.ts";
import { newListWatchFromClient, newMetadataListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import { namespaceIndexers } from "../store/key-functions.ts";
import { stripManagedFields } from "../store/strip-managed-fields.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { expectEqualToServer, mapInformer, running, Told } from "./observed.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);
const labelled = (app: string | null) => ({ type: "merge", body: { metadata: { labels: { app } } } }) as const;

const selections: readonly InformerCase[] = [
  {
    name: "what no longer matches a label selector is deleted, and added when it matches again",
    async run(stage) {
      const { namespace, signal } = stage;
      await here(stage).create(configMap("in", {}, { app: "x" }), signal);
      await here(stage).create(configMap("out", {}, { app: "y" }), signal);
      const informer = mapInformer(stage, { scope: { namespace, labelSelector: "app=x" } });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      await here(stage).patch("out", labelled("x"), signal);
      await here(stage).patch("in", labelled("y"), signal);
      await here(stage).patch("in", { type: "merge", body: { data: { unseen: "1" } } }, signal);
      await here(stage).patch("in", labelled("x"), signal);
      await here(stage).delete("out", signal);
      expect(await told.count(5, signal)).toEqual(["add in", "add out", "delete in", "add in", "delete out"]);
      await expectEqualToServer(informer, stage);
    },
  },
  {
    name: "a field selector picks one object",
    async run(stage) {
      const { namespace, signal } = stage;
      for (const name of ["a", "b"]) await here(stage).create(configMap(name), signal);
      const informer = mapInformer(stage, { scope: { namespace, fieldSelector: "metadata.name=b" } });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      await here(stage).delete("a", signal);
      await here(stage).delete("b", signal);
      expect(await told.count(2, signal)).toEqual(["add b", "delete b"]);
    },
  },
  {
    name: "one namespace is one namespace, and none is all of them",
    async run(stage) {
      const { client, namespace, signal } = stage;
      const label = `only-${namespace}`;
      const other = `${namespace}-other`;
      await client
        .resource(namespaces)
        .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: other } }, signal);
      await here(stage).create(configMap("mine", {}, { [label]: "" }), signal);
      await client
        .resource(configMaps)
        .in(other)
        .create(configMap("theirs", {}, { [label]: "" }), signal);
      const one = mapInformer(stage);
      const all = mapInformer(stage, { scope: { labelSelector: label } });
      await using _one = running(one, signal);
      await using _all = running(all, signal);
      await Promise.all([one.whenSynced(signal), all.whenSynced(signal)]);
      expect(names(one.getStore().list())).toEqual(["mine"]);
      expect(names(all.getStore().list())).toEqual(["mine", "theirs"]);
      expect([one.name, all.name]).toEqual([`configmaps in ${namespace}`, "configmaps"]);
    },
  },
];

const shapes: readonly InformerCase[] = [
  {
    name: "metadata alone is all there is of an object, from the list and from the watch",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await here(stage).create(configMap("listed", { secret: "x" }), signal);
      const source = newMetadataListWatchFromClient(client, configMaps, { namespace });
      const informer = new SharedIndexInformer(source, { freeze: true });
      const told = new Told<Awaited<ReturnType<typeof read>>>();
      const read = (name: string) => client.metadata(configMaps).in(namespace).get(name, signal);
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      await here(stage).create(configMap("watched", { secret: "y" }), signal);
      await here(stage).patch("listed", { type: "merge", body: { data: { secret: "z" } } }, signal);
      expect(await told.count(3, signal)).toEqual(["add listed", "add watched", "update listed"]);
      for (const name of ["listed", "watched"]) {
        expect(informer.getStore().getByKey(`${namespace}/${name}`)).toEqual(await read(name));
      }
      expect(JSON.stringify(informer.getStore().list())).not.toContain('"data"');
    },
  },
  {
    name: "a transform makes the same of what is listed and what is watched",
    async run(stage) {
      const { namespace, signal } = stage;
      await here(stage).create(configMap("listed", { x: "1" }), signal);
      const informer = mapInformer(stage, { transform: stripManagedFields() });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      await here(stage).create(configMap("watched", { x: "1" }), signal);
      await told.count(2, signal);
      for (const name of ["listed", "watched"]) {
        const { metadata, ...rest } = await here(stage).get(name, signal);
        const { managedFields, ...kept } = metadata;
        expect(managedFields).toHaveLength(1);
        expect(informer.getStore().getByKey(`${namespace}/${name}`)).toEqual({ ...rest, metadata: kept });
      }
    },
  },
  {
    name: "custom objects are objects like others",
    needs: ["customResources", "apply"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      const resource = await haveWidgets(client, signal);
      const widgets = client.resource(resource).in(namespace);
      const made = await widgets.create(widget("a", { size: 2 }), signal);
      const informer = new SharedIndexInformer<Widget>(newListWatchFromClient(client, resource, { namespace }));
      const told = new Told<Widget>();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      const status = { ready: 1 };
      const ready = await widgets.subresource("status").patch("a", { type: "merge", body: { status } }, signal);
      await widgets.delete("a", signal);
      expect(await told.count(3, signal)).toEqual(["add a", "update a", "delete a"]);
      expect(told.events[1]).toMatchObject({ type: "update", before: made, after: ready });
    },
  },
];

const reads: readonly InformerCase[] = [
  {
    name: "an index follows what it is made from, also one that is added while it runs",
    async run(stage) {
      const { namespace, signal } = stage;
      const byLabel = (label: string) => (map: corev1.ConfigMap) => [map.metadata.labels?.[label] ?? "none"];
      await here(stage).create(configMap("a", {}, { app: "x", tier: "1" }), signal);
      await here(stage).create(configMap("b", {}, { app: "x" }), signal);
      const informer = mapInformer(stage, { indexers: { app: byLabel("app") } });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(2, signal);
      const index = informer.getIndexer();
      expect(names(index.byIndex("app", "x"))).toEqual(["a", "b"]);
      informer.addIndexers({ tier: byLabel("tier") });
      expect(index.indexKeys("tier", "1")).toEqual([`${namespace}/a`]);
      await here(stage).patch("b", labelled("y"), signal);
      await told.line("update b", signal);
      expect([names(index.byIndex("app", "x")), names(index.byIndex("app", "y"))]).toEqual([["a"], ["b"]]);
      await here(stage).delete("a", signal);
      await told.line("delete a", signal);
      expect(index.listIndexFuncValues("app").toSorted()).toEqual(["y"]);
      expect(index.listIndexFuncValues("tier")).toEqual(["none"]);
    },
  },
  {
    name: "a lister reads by name, by namespace and by selector, and misses in the server's own words",
    async run(stage) {
      const { namespace, signal } = stage;
      await here(stage).create(configMap("a", {}, { app: "x", tier: "1" }), signal);
      await here(stage).create(configMap("b", {}, { app: "x" }), signal);
      await here(stage).create(configMap("c", {}, { app: "y" }), signal);
      const informer = mapInformer(stage, { indexers: namespaceIndexers });
      await using _running = running(informer, signal);
      await informer.whenSynced(signal);
      const lister = new Lister(informer.getIndexer(), configMaps);
      const mine = lister.namespace(namespace);
      for (const selector of ["app=x", "app=x,!tier", "app in (x,y),tier!=1", "tier"]) {
        const { items } = await here(stage).list({ labelSelector: selector }, signal).toArray();
        expect(names(mine.list(selector))).toEqual(names(items));
        expect(names(lister.list(selector))).toEqual(names(items));
      }
      expect(mine.get("a")).toEqual(await here(stage).get("a", signal));
      expect(lister.namespace("elsewhere").list()).toEqual([]);
      const missed = await refusal(here(stage).get("nobody", signal));
      expect(() => mine.getOrThrow("nobody")).toThrow(missed.message);
    },
  },
];

export const viewCases: readonly InformerCase[] = [...selections, ...shapes, ...reads];
