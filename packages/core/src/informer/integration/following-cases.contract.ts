// An informer and its server: what is there, what happens to it, and who hears of it when.
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { compareResourceVersions } from "../../api/index.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import { configMap } from "../../client/integration/objects.contract.ts";
import { lastStateOf } from "../tombstone.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { expectEqualToServer, mapInformer, running, Told } from "./observed.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);
const withData = (x: string) => ({ type: "merge", body: { data: { x } } }) as const;

export const followingCases: readonly InformerCase[] = [
  {
    name: "what exists is there once it has synced, and adds, updates and deletes follow, with the object before",
    async run(stage) {
      const { signal } = stage;
      const a = await here(stage).create(configMap("a"), signal);
      const b = await here(stage).create(configMap("b"), signal);
      const informer = mapInformer(stage);
      const told = new Told();
      const registration = informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await informer.whenSynced(signal);
      expect(informer.getStore().listKeys().toSorted()).toEqual(["a", "b"].map((name) => `${stage.namespace}/${name}`));
      await registration.whenSynced(signal);
      expect(told.sorted).toEqual(["add a", "add b"]);
      for (const { details } of told.events) expect(details).toEqual({ cause: "initial", isInInitialList: true });

      const c = await here(stage).create(configMap("c"), signal);
      const patched = await here(stage).patch("a", withData("1"), signal);
      await here(stage).delete("b", signal);
      expect((await told.count(5, signal)).slice(2)).toEqual(["add c", "update a", "delete b"]);
      const details = { cause: "change", isInInitialList: false };
      const [added, updated, deleted] = told.events.slice(2);
      expect(added).toEqual({ type: "add", object: c, details });
      expect(updated).toEqual({ type: "update", before: a, after: patched, details });
      // Deleted as it was, under the version of its deletion.
      const gone = deleted?.type === "delete" ? lastStateOf(deleted.gone) : undefined;
      const { resourceVersion = "" } = gone?.metadata ?? {};
      expect(gone).toEqual({ ...b, metadata: { ...b.metadata, resourceVersion } });
      expect(compareResourceVersions(resourceVersion, patched.metadata.resourceVersion ?? "")).toBeGreaterThan(0);
      expect([deleted?.type, deleted?.details]).toEqual(["delete", details]);
      await expectEqualToServer(informer, stage);
      expect(informer.status).toMatchObject({
        phase: "watching",
        hasSynced: true,
        size: 2,
        queued: 0,
        failingSinceMs: undefined,
      });
    },
  },
  {
    name: "nothing at all is a state to be in sync with",
    async run(stage) {
      const informer = mapInformer(stage);
      const told = new Told();
      const registration = informer.addEventHandler(told);
      await using _running = running(informer, stage.signal);
      await registration.whenSynced(stage.signal);
      expect([informer.status.size, told.lines]).toEqual([0, []]);
      await here(stage).create(configMap("a"), stage.signal);
      expect(await told.count(1, stage.signal)).toEqual(["add a"]);
    },
  },
  {
    name: "an object that was deleted and made anew is another one",
    async run(stage) {
      const { signal } = stage;
      const first = await here(stage).create(configMap("a"), signal);
      const informer = mapInformer(stage);
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      await here(stage).delete("a", signal);
      const second = await here(stage).create(configMap("a"), signal);
      expect(await told.count(3, signal)).toEqual(["add a", "delete a", "add a"]);
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      expect(informer.getStore().getByKey(`${stage.namespace}/a`)).toEqual(second);
    },
  },
  {
    name: "a handler that comes late hears of all there is, then of what follows; one that has left hears no more",
    async run(stage) {
      const { signal } = stage;
      for (const name of ["a", "b"]) await here(stage).create(configMap(name), signal);
      const informer = mapInformer(stage);
      const early = new Told();
      const leaving = informer.addEventHandler(early);
      await using _running = running(informer, signal);
      await early.count(2, signal);
      await here(stage).create(configMap("c"), signal);
      await early.count(3, signal);
      leaving.remove();
      const late = new Told();
      await informer.addEventHandler(late).whenSynced(signal);
      expect(late.sorted).toEqual(["add a", "add b", "add c"]);
      expect(late.events.every(({ details }) => details.isInInitialList)).toBe(true);
      await here(stage).delete("a", signal);
      expect((await late.count(4, signal)).at(-1)).toBe("delete a");
      expect(early.lines).toHaveLength(3);
    },
  },
  {
    name: "a hundred updates in a row come in their order, the last one in any case",
    async run(stage) {
      const { signal } = stage;
      await here(stage).create(configMap("a"), signal);
      const informer = mapInformer(stage);
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(1, signal);
      for (let update = 1; update <= 100; update++) await here(stage).patch("a", withData(`${update}`), signal);
      await told.count(101, signal);
      const states = told.events.map((event) => (event.type === "update" ? event.after.data?.["x"] : "none"));
      expect(states.slice(1)).toEqual(Array.from({ length: 100 }, (_, i) => `${i + 1}`));
      await expectEqualToServer(informer, stage);
    },
  },
];
