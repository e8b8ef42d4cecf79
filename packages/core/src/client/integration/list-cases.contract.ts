// Lists: pages, versions, selectors, and what happens when the server has forgotten the rest of one.
import { expect } from "vitest";
import { configMaps, pods } from "../../api/generated/resources.ts";
import { isBadRequest, isResourceExpired, parseFieldSelector, parseSelector } from "../../api/index.ts";
import type { Client } from "../client.ts";
import type { ClientCase, Stage } from "./client-suite.contract.ts";
import { configMap, haveWidgets, names, pod, refusal, widget } from "./objects.contract.ts";

async function makeMaps({ client, namespace, signal }: Stage, ...wanted: readonly string[]): Promise<void> {
  const maps = client.resource(configMaps).in(namespace);
  for (const name of wanted) await maps.create(configMap(name, {}, { app: "x" }), signal);
}

const maps = (client: Client, namespace: string) => client.resource(configMaps).in(namespace);
const seven = ["a", "b", "c", "d", "e", "f", "g"] as const;

const pages: readonly ClientCase[] = [
  {
    name: "pages of two make one list, with the version to watch from",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      const list = maps(client, namespace).list({ pageSize: 2 }, signal);
      const sizes: number[] = [];
      const seen: string[] = [];
      for await (const batch of list.batches()) {
        sizes.push(batch.length);
        seen.push(...names(batch));
      }
      expect(seen).toEqual([...seven]);
      // No batch spans two pages; where a page ends in batches is the network's business.
      expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
      expect(list.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(list.metadata.continue ?? "").toBe("");
    },
  },
  {
    name: "all pages are of one version, whatever happens in between",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      const seen: string[] = [];
      for await (const item of maps(client, namespace).list({ pageSize: 2 }, signal)) {
        if (seen.push(item.metadata.name ?? "") !== 2) continue;
        await maps(client, namespace).delete("g", signal);
        await maps(client, namespace).create(configMap("aa"), signal);
      }
      expect(seen).toEqual([...seven]);
    },
  },
  {
    name: "a reader may leave in the middle of a page",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      for await (const item of maps(client, namespace).list({ pageSize: 3 }, signal)) {
        if (item.metadata.name === "e") break;
      }
      expect(names((await maps(client, namespace).list({ pageSize: 3 }, signal).toArray()).items)).toEqual([...seven]);
    },
  },
  {
    name: "a list at any version comes whole, whatever its page size",
    needs: ["unpagedLists"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      // The cache is at least as new as what it has told.
      const { metadata } = await maps(client, namespace).list(signal).toArray();
      const { resourceVersion = "" } = metadata;
      const at = { resourceVersion, resourceVersionMatch: "NotOlderThan", pageSize: 0 } as const;
      await maps(client, namespace).list(at, signal).toArray();
      const list = maps(client, namespace).list({ resourceVersion: "0", pageSize: 2 }, signal);
      const sizes: number[] = [];
      for await (const batch of list.batches()) sizes.push(batch.length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(7);
      expect(list.metadata.remainingItemCount).toBeUndefined();
    },
  },
  {
    name: "a list that the server has forgotten the rest of begins anew for whoever can drop what it has",
    needs: ["forget"],
    async run(stage) {
      const { target, client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      let seen: string[] = [];
      let restarts = 0;
      const onRestart = () => {
        seen = [];
        restarts++;
      };
      for await (const item of maps(client, namespace).list({ pageSize: 2, onRestart }, signal)) {
        seen.push(item.metadata.name ?? "");
        if (seen.length !== 2 || restarts > 0) continue;
        await maps(client, namespace).delete("b", signal);
        await target.forget?.(signal);
      }
      expect([seen, restarts]).toEqual([["a", "c", "d", "e", "f", "g"], 1]);
    },
  },
  {
    name: "it is Expired for whoever cannot, and so is an exact version that is gone",
    needs: ["forget"],
    async run(stage) {
      const { target, client, namespace, signal } = stage;
      await makeMaps(stage, ...seven);
      const old = await maps(client, namespace).list(signal).toArray();
      const read = async () => {
        let count = 0;
        for await (const _ of maps(client, namespace).list({ pageSize: 2 }, signal)) {
          if (++count === 2) await target.forget?.(signal);
        }
      };
      expect(isResourceExpired(await refusal(read()))).toBe(true);
      const { resourceVersion = "" } = old.metadata;
      const exact = { resourceVersion, resourceVersionMatch: "Exact", pageSize: 0 } as const;
      expect(isResourceExpired(await refusal(maps(client, namespace).list(exact, signal).toArray()))).toBe(true);
    },
  },
];

const versions: readonly ClientCase[] = [
  {
    name: "a list can be as it was at a version, or not older",
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, "a", "b");
      const { resourceVersion = "" } = (await maps(client, namespace).list(signal).toArray()).metadata;
      await makeMaps(stage, "c");
      const read = async (resourceVersionMatch: "Exact" | "NotOlderThan") =>
        names((await maps(client, namespace).list({ resourceVersion, resourceVersionMatch }, signal).toArray()).items);
      expect(await read("Exact")).toEqual(["a", "b"]);
      expect(await read("NotOlderThan")).toEqual(expect.arrayContaining(["a", "b"]));
    },
  },
  {
    name: "listed objects are the same as those from a get",
    needs: ["customResources", "apply"],
    async run(stage) {
      const { client, namespace, signal } = stage;
      await makeMaps(stage, "a");
      const map = await maps(client, namespace).get("a", signal);
      expect((await maps(client, namespace).list(signal).toArray()).items).toEqual([map]);
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      const made = await widgets.create(widget("w"), signal);
      expect((await widgets.list(signal).toArray()).items).toEqual([made]);
    },
  },
  {
    name: "an empty list has a version too",
    async run({ client, namespace, signal }) {
      const { items, metadata } = await maps(client, namespace).list(signal).toArray();
      expect([items, metadata.resourceVersion]).toEqual([[], expect.stringMatching(/^\d+$/)]);
    },
  },
];

const selectors: readonly ClientCase[] = [
  {
    name: "labels select, as text and as objects",
    async run({ client, namespace, signal }) {
      const here = maps(client, namespace);
      for (const [name, labels] of [
        ["a", { app: "x", tier: "1" }],
        ["b", { app: "x", tier: "2" }],
        ["c", { app: "y" }],
      ] as const) {
        await here.create(configMap(name, {}, labels), signal);
      }
      const select = async (labelSelector: string) => {
        const asText = await here.list({ labelSelector }, signal).toArray();
        const asObject = await here.list({ labelSelector: parseSelector(labelSelector) }, signal).toArray();
        expect(asObject.items).toEqual(asText.items);
        return names(asText.items);
      };
      expect(await select("app=x")).toEqual(["a", "b"]);
      expect(await select("app=x,tier!=1")).toEqual(["b"]);
      expect(await select("app in (x,y),!tier")).toEqual(["c"]);
      expect(await select("tier>1")).toEqual(["b"]);
      expect(await select("app notin (x)")).toEqual(["c"]);
    },
  },
  {
    name: "fields select, as text and as objects, over all namespaces too",
    async run({ client, namespace, signal }) {
      for (const name of ["a", "b"]) await client.resource(pods).in(namespace).create(pod(name), signal);
      const fieldSelector = `metadata.name=a,metadata.namespace=${namespace},spec.nodeName=`;
      for (const selector of [fieldSelector, parseFieldSelector(fieldSelector)]) {
        const { items } = await client.resource(pods).list({ fieldSelector: selector }, signal).toArray();
        expect(items.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([["Pod", "a"]]);
      }
    },
  },
  {
    name: "a selector that cannot be parsed is refused",
    async run({ client, namespace, signal }) {
      const odd = maps(client, namespace).list({ labelSelector: "a b c" }, signal).toArray();
      expect(isBadRequest(await refusal(odd))).toBe(true);
      const unknown = maps(client, namespace).list({ fieldSelector: "spec.unknown=1" }, signal).toArray();
      expect(isBadRequest(await refusal(unknown))).toBe(true);
    },
  },
];

export const listCases: readonly ClientCase[] = [...pages, ...versions, ...selectors];
