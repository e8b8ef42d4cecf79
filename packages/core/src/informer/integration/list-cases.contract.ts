// How an informer gets everything there is: streamed where the server can, listed where it cannot, and what it remembers.
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import type { corev1 } from "../../api/index.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import { configMap } from "../../client/integration/objects.contract.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { Line } from "./line.contract.ts";
import { expectEqualToServer, mapInformer, running, Told } from "./observed.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);

/** An informer of five maps on a line of its own, and what it was told. */
async function five(stage: Stage, options: SharedIndexInformerOptions<corev1.ConfigMap> = {}) {
  for (const name of ["a", "b", "c", "d", "e"]) await here(stage).create(configMap(name), stage.signal);
  const line = new Line(stage.client);
  const informer = mapInformer({ client: line.client, namespace: stage.namespace }, options);
  const told = new Told();
  informer.addEventHandler(told);
  return { line, informer, told };
}

const kindsOf = (line: Line) => line.requests.map(({ kind }) => kind);

export const listCases: readonly InformerCase[] = [
  {
    name: "where the server streams lists, nothing is ever listed",
    needs: ["watchList"],
    async run(stage) {
      const { line, informer, told } = await five(stage);
      await using _running = running(informer, stage.signal);
      await told.count(5, stage.signal);
      await expectEqualToServer(informer, stage);
      await here(stage).delete("a", stage.signal);
      await told.count(6, stage.signal);
      expect(line.lines).toEqual(["stream"]);
      expect(informer.status).toMatchObject({ lists: 1, watches: 1, errors: 0, phase: "watching" });
    },
  },
  {
    name: "where the server refuses to stream, it lists, and does not ask again the next time",
    needs: ["noWatchList"],
    async run(stage) {
      const { signal } = stage;
      const { line, informer, told } = await five(stage);
      await using _running = running(informer, signal);
      await told.count(5, signal);
      await expectEqualToServer(informer, stage);
      await line.untilAnswered("watch", 1, signal);
      expect(kindsOf(line)).toEqual(["stream", "list", "watch"]);
      // A watch that is lost three times without an event is taken for one that cannot be had: it begins anew.
      for (let lost = 1; lost <= 3; lost++) {
        await line.untilAnswered("watch", lost, signal);
        line.cut();
      }
      await line.untilAnswered("watch", 4, signal);
      expect(kindsOf(line)).toEqual(["stream", "list", "watch", "watch", "watch", "list", "watch"]);
      expect(line.requests[0]?.answer).toBe(422);
      await here(stage).delete("a", signal);
      expect(await told.count(6, signal)).toContain("delete a");
      await expectEqualToServer(informer, stage);
    },
  },
  {
    name: "a watch that is cut goes on where it was, without a list",
    async run(stage) {
      const { signal } = stage;
      const { line, informer, told } = await five(stage);
      await using _running = running(informer, signal);
      await told.count(5, signal);
      const lists = () => kindsOf(line).filter((kind) => kind !== "watch");
      const listed = lists();
      await here(stage).create(configMap("f"), signal);
      await told.count(6, signal);
      const version = informer.lastSyncResourceVersion();
      line.hold();
      line.cut();
      await line.untilHeld(signal);
      await here(stage).delete("a", signal);
      await here(stage).create(configMap("g"), signal);
      line.release();
      expect((await told.count(8, signal)).slice(6)).toEqual(["delete a", "add g"]);
      expect(line.lines.at(-1)).toBe(`watch ${version}`);
      expect(lists()).toEqual(listed);
      await expectEqualToServer(informer, stage);
    },
  },
  {
    name: "told not to stream, it lists what is at hand and watches from there",
    async run(stage) {
      const { line, informer, told } = await five(stage, { watchListEnabled: false });
      await using _running = running(informer, stage.signal);
      await informer.whenSynced(stage.signal);
      await here(stage).create(configMap("f"), stage.signal);
      await told.line("add f", stage.signal);
      await told.count(6, stage.signal);
      await expectEqualToServer(informer, stage);
      expect(line.lines[0]).toBe("list 0");
      expect(kindsOf(line)).toEqual(["list", "watch"]);
    },
  },
  {
    name: "told to list in pages, it has the same in the end",
    async run(stage) {
      const { line, informer, told } = await five(stage, { watchListEnabled: false, pageSize: 2 });
      await using _running = running(informer, stage.signal);
      await told.count(5, stage.signal);
      await expectEqualToServer(informer, stage);
      expect(kindsOf(line)[0]).toBe("list");
      expect(informer.status).toMatchObject({ lists: 1, errors: 0 });
    },
  },
];
