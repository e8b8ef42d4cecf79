// Get, create, update, delete and their options, on built-in and custom resources.
import { expect } from "vitest";
import { configMaps, customResourceDefinitions, namespaces, pods } from "../../api/generated/resources.ts";
import {
  type corev1,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isInvalid,
  isMethodNotSupported,
  isNotFound,
  isRequestEntityTooLarge,
  nothingSelector,
  selectorFromLabels,
} from "../../api/index.ts";
import type { ClientCase } from "./client-suite.contract.ts";
import {
  configMap,
  haveWidgets,
  names,
  pod,
  refusal,
  saying,
  untilEvent,
  untilServed,
  widget,
  widgetKind,
} from "./objects.contract.ts";

const exists: readonly ClientCase[] = [
  {
    name: "an object is created, read, updated and deleted",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const created = await maps.create(configMap("a", { key: "1" }), signal);
      expect(created).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace } });
      expect(await maps.get("a", signal)).toEqual(created);
      const updated = await maps.update({ ...created, data: { key: "2" } }, signal);
      expect(updated.metadata.uid).toBe(created.metadata.uid);
      expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
      const gone = await maps.delete("a", signal);
      expect(gone).toMatchObject({
        kind: "Status",
        status: "Success",
        details: { name: "a", uid: created.metadata.uid },
      });
      expect(isNotFound(await refusal(maps.get("a", signal)))).toBe(true);
    },
  },
  {
    name: "a custom object is created, read, updated and deleted",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      const created = await widgets.create(widget("a", { size: 1 }), signal);
      expect(await widgets.get("a", signal)).toEqual(created);
      const updated = await widgets.update({ ...created, spec: { size: 2 } }, signal);
      expect(updated).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
      expect(await widgets.delete("a", signal)).toMatchObject({ kind: "Status", status: "Success" });
      expect(isNotFound(await refusal(widgets.get("a", signal)))).toBe(true);
    },
  },
  {
    name: "a new kind is there once its definition is established, and gone after it",
    needs: ["customResources"],
    async run({ client, namespace, signal }) {
      const gadgets = widgetKind("gadgets", "Gadget");
      const definitions = client.resource(customResourceDefinitions);
      await definitions.create(gadgets.definition, signal);
      await untilServed(client, gadgets, signal);
      const made = await client
        .resource(gadgets.resource)
        .in(namespace)
        .create({ ...widget("a"), kind: "Gadget" }, signal);
      expect(made.kind).toBe("Gadget");
      const { metadata } = await definitions.list({ resourceVersion: "" }, signal).toArray();
      const { resourceVersion = "" } = metadata;
      await definitions.delete(gadgets.definition.metadata.name, signal);
      const fieldSelector = `metadata.name=${gadgets.definition.metadata.name}`;
      const isGone = ({ type }: { readonly type: string }) => type === "DELETED";
      await untilEvent(definitions.watch({ fieldSelector, resourceVersion }, signal), isGone);
    },
  },
  {
    name: "the server makes a name of a prefix",
    async run({ client, namespace, signal }) {
      const nameless = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } } as const;
      const made = await client.resource(configMaps).in(namespace).create(nameless, signal);
      expect(made.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    },
  },
  {
    name: "names and values keep every letter",
    async run({ client, namespace, signal }) {
      const data = { text: 'naïve 日本語 😀 \u2028 "quoted" \\ \n\t', empty: "" };
      const maps = client.resource(configMaps).in(namespace);
      await maps.create(configMap("letters", data), signal);
      expect((await maps.get("letters", signal)).data).toEqual(data);
      expect((await maps.list(signal).toArray()).items[0]?.data).toEqual(data);
    },
  },
  {
    name: "an object of a megabyte goes both ways",
    async run({ client, namespace, signal }) {
      // Three bytes a letter: chunks are cut within them.
      const large = "語".repeat(340_000);
      const maps = client.resource(configMaps).in(namespace);
      const { metadata } = await maps.create(configMap("large", { large }), signal);
      expect((await maps.get("large", signal)).data?.["large"] === large).toBe(true);
      expect((await maps.list(signal).toArray()).items[0]?.data?.["large"] === large).toBe(true);
      const { resourceVersion = "" } = metadata;
      const before = String(BigInt(resourceVersion) - 1n);
      const event = await untilEvent(maps.watch({ resourceVersion: before }, signal), () => true);
      expect(event.object.data?.["large"] === large).toBe(true);
    },
  },
  {
    name: "more than a server takes is refused",
    needs: ["sockets"],
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const tooLong = await refusal(maps.create(configMap("a", { large: "x".repeat(1_100_000) }), signal));
      expect(isInvalid(tooLong)).toBe(true);
      const tooLarge = await refusal(maps.create(configMap("a", { large: "x".repeat(4_000_000) }), signal));
      expect(isRequestEntityTooLarge(tooLarge)).toBe(true);
      expect((await maps.list(signal).toArray()).items).toEqual([]);
    },
  },
];

const refusals: readonly ClientCase[] = [
  {
    name: "what is there already, or is not there, is refused",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      await maps.create(configMap("a"), signal);
      const again = await refusal(maps.create(configMap("a"), signal));
      expect(isAlreadyExists(again)).toBe(true);
      expect(saying(again)).toEqual({ code: 409, reason: "AlreadyExists", message: 'configmaps "a" already exists' });
      for (const call of [
        () => maps.get("b", signal),
        () => maps.update(configMap("b"), signal),
        () => maps.patch("b", { type: "merge", body: {} }, signal),
        () => maps.delete("b", signal),
      ]) {
        const refused = await refusal(call());
        expect(isNotFound(refused)).toBe(true);
        expect(refused.details).toMatchObject({ name: "b", kind: "configmaps" });
      }
    },
  },
  {
    name: "a verb that a resource does not have is refused",
    async run({ client, signal }) {
      expect(isMethodNotSupported(await refusal(deleteAllNamespaces()))).toBe(true);
      async function deleteAllNamespaces() {
        // Namespaces know no deletecollection, so nothing happens to them.
        return await client.resource(namespaces).deleteCollection({ dryRun: true }, signal);
      }
    },
  },
  {
    name: "a kind that the server does not know is refused without a Status",
    async run({ client, namespace, signal }) {
      const { resource } = widgetKind("unheard", "Unheard");
      const elsewhere = { ...resource, group: "unheard.kubeloop.dev" };
      expect(isNotFound(await refusal(client.resource(elsewhere).in(namespace).get("a", signal)))).toBe(true);
      expect(isNotFound(await refusal(client.resource(elsewhere).in(namespace).list(signal).toArray()))).toBe(true);
    },
  },
  {
    name: "a stale write is a conflict, one without a version is not",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const first = await maps.create(configMap("a"), signal);
      await maps.update({ ...first, data: { by: "somebody" } }, signal);
      expect(isConflict(await refusal(maps.update({ ...first, data: { by: "me" } }, signal)))).toBe(true);
      const body = { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { by: "me" } };
      expect(isConflict(await refusal(maps.patch("a", { type: "merge", body }, signal)))).toBe(true);
      expect((await maps.update(configMap("a", { by: "me" }), signal)).data).toEqual({ by: "me" });
    },
  },
  {
    name: "a deletion can be made conditional",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const { metadata } = await maps.create(configMap("a"), signal);
      const otherUid = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
      expect(isConflict(await refusal(maps.delete("a", otherUid, signal)))).toBe(true);
      expect(isConflict(await refusal(maps.delete("a", { preconditions: { resourceVersion: "1" } }, signal)))).toBe(
        true,
      );
      const { uid = "", resourceVersion = "" } = metadata;
      await maps.delete("a", { preconditions: { uid, resourceVersion } }, signal);
    },
  },
  {
    name: "unknown fields are refused where that is asked for",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const odd: corev1.ConfigMap = Object.assign(configMap("a"), { dta: { a: "typo" } });
      const refused = await refusal(maps.create(odd, { fieldValidation: "Strict" }, signal));
      expect([isBadRequest(refused), refused.message]).toEqual([true, expect.stringContaining('unknown field "dta"')]);
      expect(await maps.create(odd, { fieldValidation: "Ignore" }, signal)).not.toHaveProperty("dta");
    },
  },
];

const options: readonly ClientCase[] = [
  {
    name: "a dry run answers as if, and changes nothing",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const dryRun = { dryRun: true };
      expect((await maps.create(configMap("a"), dryRun, signal)).metadata.uid).toMatch(/-/);
      expect(isNotFound(await refusal(maps.get("a", signal)))).toBe(true);
      const kept = await maps.create(configMap("b", { key: "1" }), signal);
      expect((await maps.update({ ...kept, data: { key: "2" } }, dryRun, signal)).data).toEqual({ key: "2" });
      await maps.patch("b", { type: "merge", body: { data: { key: "3" } } }, dryRun, signal);
      await maps.delete("b", dryRun, signal);
      await maps.deleteCollection(dryRun, signal);
      expect(await maps.get("b", signal)).toEqual(kept);
    },
  },
  {
    name: "a finalizer keeps what was deleted, and the answer is the object",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      await maps.create({ ...configMap("a"), metadata: { name: "a", finalizers: ["kubeloop.dev/test"] } }, signal);
      const answer = await maps.delete("a", { propagationPolicy: "Background" }, signal);
      expect(answer).toMatchObject({ kind: "ConfigMap", metadata: { deletionTimestamp: expect.any(String) } });
      await maps.patch("a", { type: "merge", body: { metadata: { finalizers: null } } }, signal);
      expect(isNotFound(await refusal(maps.get("a", signal)))).toBe(true);
    },
  },
  {
    name: "a pod without a node is deleted at once",
    async run({ client, namespace, signal }) {
      const podsHere = client.resource(pods).in(namespace);
      await podsHere.create(pod("a"), signal);
      expect(await podsHere.delete("a", { gracePeriodSeconds: 0 }, signal)).toMatchObject({ kind: "Pod" });
      expect(isNotFound(await refusal(podsHere.get("a", signal)))).toBe(true);
    },
  },
  {
    name: "a collection is deleted by selector, by none entirely, by one of nothing not at all",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      for (const [name, app] of [
        ["a", "x"],
        ["b", "x"],
        ["c", "y"],
      ] as const) {
        await maps.create(configMap(name, {}, { app }), signal);
      }
      const left = async () => names((await maps.list(signal).toArray()).items);
      await maps.deleteCollection({ labelSelector: nothingSelector }, signal);
      expect(await left()).toEqual(["a", "b", "c"]);
      await maps.deleteCollection({ labelSelector: selectorFromLabels({ app: "x" }) }, signal);
      expect(await left()).toEqual(["c"]);
      await maps.deleteCollection({}, signal);
      expect(await left()).toEqual([]);
    },
  },
  {
    name: "who wrote is recorded: the client's field manager unless another is named",
    async run({ client, namespace, signal }) {
      const maps = client.with({ fieldManager: "mine" }).resource(configMaps).in(namespace);
      const manager = ({ metadata }: corev1.ConfigMap) => metadata.managedFields?.map(({ manager }) => manager);
      expect(manager(await maps.create(configMap("a", { key: "1" }), signal))).toEqual(["mine"]);
      const other = { fieldManager: "other" };
      expect(manager(await maps.create(configMap("b", { key: "1" }), other, signal))).toEqual(["other"]);
    },
  },
  {
    name: "get takes a version that is at hand",
    async run({ client, namespace, signal }) {
      const maps = client.resource(configMaps).in(namespace);
      const { metadata } = await maps.create(configMap("a"), signal);
      const { resourceVersion = "" } = metadata;
      expect((await maps.get("a", { resourceVersion }, signal)).metadata.uid).toBe(metadata.uid);
    },
  },
  {
    name: "metadata alone: get, list, patch, delete",
    async run({ client, namespace, signal }) {
      const created = await client
        .resource(configMaps)
        .in(namespace)
        .create(configMap("a", { key: "1" }), signal);
      const metadata = client.metadata(configMaps).in(namespace);
      const expected = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: created.metadata };
      expect(await metadata.get("a", signal)).toEqual(expected);
      expect((await metadata.list(signal).toArray()).items).toEqual([expected]);
      const body = { metadata: { labels: { app: "x" } } };
      const patched = await metadata.patch("a", { type: "merge", body }, signal);
      expect([patched.kind, patched.metadata.labels]).toEqual(["PartialObjectMetadata", { app: "x" }]);
      expect(await metadata.delete("a", signal)).toMatchObject({ kind: "Status", status: "Success" });
      await metadata.deleteCollection({}, signal);
    },
  },
  {
    name: "a table has the columns that kubectl shows",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      await client
        .resource(configMaps)
        .in(namespace)
        .create(configMap("a", { key: "1" }), signal);
      const table = await client.resource(configMaps).in(namespace).table(signal);
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
      expect(table.rows).toMatchObject([{ cells: ["a", 1, expect.any(String)], object: { metadata: { name: "a" } } }]);
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      await widgets.create(widget("w"), signal);
      expect((await widgets.table(signal)).rows).toMatchObject([{ cells: ["w", expect.any(String)] }]);
    },
  },
  {
    name: "integers beyond 2^53 survive a patch, and are rounded by whoever writes the whole object back",
    needs: ["customResources", "apply"],
    async run({ client, namespace, signal }) {
      const widgets = client.resource(await haveWidgets(client, signal)).in(namespace);
      await widgets.create(widget("a"), signal);
      const exact = "9007199254740993";
      const path = `/apis/client.kubeloop.dev/v1/namespaces/${namespace}/widgets/a`;
      const send = async (method: string, contentType: string, text: string) => {
        const body = text === "" ? ({ kind: "none" } as const) : ({ kind: "bytes", bytes: Buffer.from(text) } as const);
        const headers = { accept: "application/json", "content-type": contentType };
        await using response = await client.transport(
          { method, path, query: [], headers, body, prefers: "bytes" },
          signal,
        );
        expect([response.status, response.body.kind]).toEqual([200, "bytes"]);
        let answer = "";
        if (response.body.kind !== "bytes") return answer;
        for await (const chunk of response.body.bytes) answer += Buffer.from(chunk).toString("latin1");
        return answer;
      };
      await send("PATCH", "application/merge-patch+json", `{"spec":{"weight":${exact}}}`);
      expect(await send("GET", "application/json", "")).toContain(`"weight":${exact}`);
      await widgets.patch("a", { type: "merge", body: { spec: { color: "red" } } }, signal);
      const label = [{ op: "add", path: "/metadata/labels", value: { app: "x" } }] as const;
      await widgets.patch("a", { type: "json", operations: label }, signal);
      expect(await send("GET", "application/json", "")).toContain(`"weight":${exact}`);
      await widgets.update(await widgets.get("a", signal), signal);
      expect(await send("GET", "application/json", "")).toContain('"weight":9007199254740992');
    },
  },
];

export const verbCases: readonly ClientCase[] = [...exists, ...refusals, ...options];
