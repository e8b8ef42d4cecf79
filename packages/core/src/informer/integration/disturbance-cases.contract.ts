// What an informer makes of a server that forgets, dies and comes back: nothing is missed, and the status tells.
import { expect } from "vitest";
import { configMaps } from "../../api/generated/resources.ts";
import { isResourceExpired } from "../../api/index.ts";
import type { Stage } from "../../client/integration/client-suite.contract.ts";
import { configMap } from "../../client/integration/objects.contract.ts";
import type { InformerStatus } from "../liveness.ts";
import { explainFailure } from "../wait/explain-failure.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { Line } from "./line.contract.ts";
import { expectEqualToServer, mapInformer, running, Told } from "./observed.contract.ts";

const here = ({ client, namespace }: Stage) => client.resource(configMaps).in(namespace);
const change = { type: "merge", body: { data: { changed: "yes" } } } as const;

export const disturbanceCases: readonly InformerCase[] = [
  {
    name: "a version that the server has forgotten means a new list, and nothing that happened meanwhile is missed",
    needs: ["forget"],
    async run(stage) {
      const { target, client, namespace, signal } = stage;
      for (const name of ["changed", "deleted", "same", "replaced"]) await here(stage).create(configMap(name), signal);
      const line = new Line(client);
      const failures: Error[] = [];
      const onWatchError = (error: Error) => void failures.push(error);
      const informer = mapInformer({ client: line.client, namespace }, { onWatchError });
      const told = new Told();
      informer.addEventHandler(told);
      await using _running = running(informer, signal);
      await told.count(4, signal);
      // Elsewhere the world goes on, and the informer's version grows old.
      for (let other = 0; other < 3; other++) {
        const nameless = { ...configMap(""), metadata: { generateName: "other-" } };
        await client.resource(configMaps).in("default").create(nameless, signal);
      }
      line.hold();
      await target.forget?.(signal);
      // Where forgetting meant a restart, the watch is gone already.
      line.cut();
      await line.untilHeld(signal);
      await here(stage).patch("changed", change, signal);
      await here(stage).delete("deleted", signal);
      await here(stage).delete("replaced", signal);
      await here(stage).create(configMap("replaced"), signal);
      await here(stage).create(configMap("added"), signal);
      line.release();
      await told.count(8, signal);
      expect(told.sorted.slice(0, 5)).toEqual(["add added", "add changed", "add deleted", "add replaced", "add same"]);
      expect(told.lines.slice(4).toSorted()).toEqual([
        "add added",
        "delete deleted, unseen",
        "update changed",
        "update replaced",
      ]);
      expect(told.events.slice(4).map(({ details }) => details.cause)).toEqual(Array(4).fill("relist"));
      expect(failures.filter(isResourceExpired)).toHaveLength(1);
      // Whoever cannot stream lists is asked to once.
      expect(line.requests.filter(({ answer }) => answer === 422).length).toBeLessThanOrEqual(1);
      await expectEqualToServer(informer, stage);
      await here(stage).delete("same", signal);
      expect((await told.count(9, signal)).at(-1)).toBe("delete same");
    },
  },
  {
    name: "a server that is killed and comes back is followed again, and the status tells of it",
    needs: ["restart"],
    async run(stage) {
      const { target, signal } = stage;
      for (const name of ["a", "b"]) await here(stage).create(configMap(name), signal);
      const informer = mapInformer(stage);
      const told = new Told();
      informer.addEventHandler(told);
      const statuses: InformerStatus[] = [];
      using _listening = informer.onStatusChange((status) => void statuses.push(status));
      await using _running = running(informer, signal);
      await told.count(2, signal);
      expect(informer.status).toMatchObject({ phase: "watching", failingSinceMs: undefined });

      await target.restart?.("abruptly", signal);
      await here(stage).delete("a", signal);
      await here(stage).create(configMap("c"), signal);
      await told.until(() => told.events.length >= 4, signal);
      // Heard from the watch, or found out by a list.
      expect(
        told.lines
          .slice(2)
          .map((line) => line.replace(", unseen", ""))
          .toSorted(),
      ).toEqual(["add c", "delete a"]);
      await expectEqualToServer(informer, stage);

      const failing = statuses.filter(({ failingSinceMs }) => failingSinceMs !== undefined);
      expect(failing.map(({ lastFailure }) => lastFailure && explainFailure(lastFailure.error))).toContainEqual(
        expect.stringContaining("connection refused"),
      );
      expect(informer.status).toMatchObject({ phase: "watching", failingSinceMs: undefined });
      await here(stage).delete("b", signal);
      expect((await told.count(5, signal)).at(-1)).toBe("delete b");
    },
  },
];
