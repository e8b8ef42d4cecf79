// What an informer cannot have: it says what is missing and since when, keeps asking, and gets it once somebody has mended it.
import { expect } from "vitest";
import { configMaps, customResourceDefinitions, roleBindings, roles } from "../../api/generated/resources.ts";
import { childSignal, noLog, systemClock } from "../../base/index.ts";
import { configMap, untilServed, type Widget, widget, widgetKind } from "../../client/integration/objects.contract.ts";
import { newListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import { CacheSyncError } from "../wait/sync-result.ts";
import { waitForNamedCacheSync } from "../wait/wait-for-cache-sync.ts";
import type { InformerCase } from "./informer-suite.contract.ts";
import { type AnyInformer, mapInformer, quickBackoff, running, Told, untilStatus } from "./observed.contract.ts";

/** What somebody is told who waits until the informer has tried everything once, and then no longer. */
async function whyNotSynced(informer: AnyInformer, signal: AbortSignal): Promise<CacheSyncError> {
  using waiting = childSignal(signal);
  const waited = waitForNamedCacheSync("the suite", waiting.signal, informer).catch((error: unknown) => error);
  await untilStatus(informer, ({ phase }) => phase === "waiting", signal);
  waiting.abort(new Error("enough"));
  const error = await waited;
  expect(error).toBeInstanceOf(CacheSyncError);
  return error as CacheSyncError;
}

export const refusalCases: readonly InformerCase[] = [
  {
    name: "a kind that is not there yet is waited for: it says so, and syncs once the definition is made",
    needs: ["customResources"],
    async run({ client, namespace, signal }) {
      const kind = widgetKind("latecomers", "Latecomer");
      const source = newListWatchFromClient(client, kind.resource, { namespace });
      const informer = new SharedIndexInformer<Widget>(source, { freeze: true, backoff: quickBackoff, log: noLog });
      const told = new Told<Widget>();
      informer.addEventHandler(told);
      const startedMs = systemClock.now();
      await using _running = running(informer, signal);
      const error = await whyNotSynced(informer, signal);
      expect(error.message).toMatch(
        /^failed to sync all caches of the suite: latecomers\S* in \S+ \(since \S+Z\): no such resource on this server: /,
      );
      expect(error.unsynced[0]?.sinceMs).toBeGreaterThanOrEqual(startedMs);
      expect(informer.status.failingSinceMs).toBeGreaterThanOrEqual(startedMs);
      expect(informer.checkHealth({ maxFailingMs: -1 })).toMatchObject({
        isHealthy: false,
        reason: expect.stringContaining("no such resource"),
      });

      await client.resource(customResourceDefinitions).create(kind.definition, signal);
      await untilServed(client, kind, signal);
      const object = { ...widget("a"), kind: "Latecomer" };
      await client.resource(kind.resource).in(namespace).create(object, signal);
      await informer.whenSynced(signal);
      expect(await told.count(1, signal)).toEqual(["add a"]);
      expect(informer.status).toMatchObject({ hasSynced: true, failingSinceMs: undefined });

      // And when the kind goes, its objects go with it.
      await client.resource(customResourceDefinitions).delete(kind.definition.metadata.name, signal);
      expect((await told.count(2, signal))[1]).toMatch(/^delete a/);
    },
  },
  {
    name: "who may not list is told so, since when, and syncs once it may",
    needs: ["authorization"],
    async run(stage) {
      const { namespace, signal } = stage;
      const client = stage.client.with({ impersonate: { user: "jane" } });
      await stage.client.resource(configMaps).in(namespace).create(configMap("a"), signal);
      const informer = mapInformer({ client, namespace });
      const startedMs = systemClock.now();
      await using _running = running(informer, signal);
      const error = await whyNotSynced(informer, signal);
      const since = error.unsynced[0]?.sinceMs ?? 0;
      expect(since).toBeGreaterThanOrEqual(startedMs);
      const name = `configmaps in ${namespace}`;
      expect(error.message).toContain(`${name} (since ${new Date(since).toISOString()}): configmaps is forbidden: `);
      expect(error.message).toContain('User "jane" cannot list resource "configmaps"');

      const metadata = { name: "reader" };
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
      const apiVersion = "rbac.authorization.k8s.io/v1";
      await stage.client.resource(roles).in(namespace).create({ apiVersion, kind: "Role", metadata, rules }, signal);
      const binding = {
        apiVersion,
        kind: "RoleBinding",
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
      } as const;
      await stage.client.resource(roleBindings).in(namespace).create(binding, signal);
      await informer.whenSynced(signal);
      expect(informer.getStore().listKeys()).toEqual([`${namespace}/a`]);
    },
  },
];
