// Limits, on both sides: what a client asks for in a second by itself, and what a server that has no room makes it do. Time
// is the test's own where the client waits, and real where the server does.
import { expect } from "vitest";
import {
  configMaps,
  flowSchemas,
  priorityLevelConfigurations,
  selfSubjectReviews,
} from "../../api/generated/resources.ts";
import type { flowcontrolv1 } from "../../api/index.ts";
import { FakeClock, MetricsRegistry, systemClock } from "../../base/index.ts";
import type { Client } from "../client.ts";
import type { ClientCase } from "./client-suite.contract.ts";
import { configMap, names, take, tellings } from "./objects.contract.ts";

const byTheClient: readonly ClientCase[] = [
  {
    name: "a client keeps to its rate, in the order it was asked, and shares it with those made from it",
    async run({ client, namespace, signal }) {
      const clock = new FakeClock();
      const limited = client.with({ clock, qps: 0.5, burst: 2 });
      const create = (by: Client, name: string) =>
        by.resource(configMaps).in(namespace).create(configMap(name), signal);
      const there = async () =>
        names((await client.resource(configMaps).in(namespace).list(signal).toArray()).items).join();
      const creating = ["a", "b", "c"].map((name) => create(limited, name));
      const last = create(limited.with({ userAgent: "other/1" }), "d");
      await Promise.all(creating.slice(0, 2));
      expect(await there()).toBe("a,b");
      await clock.advance(1_999);
      expect([await there(), clock.pending().length]).toEqual(["a,b", 1]);
      await clock.advance(1);
      await creating[2];
      expect(await there()).toBe("a,b,c");
      await clock.advance(2_000);
      await last;
      expect([await there(), clock.pending()]).toEqual(["a,b,c,d", []]);
    },
  },
  {
    name: "a watch opens without waiting for the rate, and who gives up waiting has asked nothing",
    async run({ client, namespace, signal }) {
      const clock = new FakeClock();
      const maps = client.with({ clock, qps: 0.001, burst: 1 }).resource(configMaps).in(namespace);
      const { metadata } = await maps.create(configMap("a"), signal);
      const controller = new AbortController();
      const waiting = maps.delete("a", controller.signal);
      const { resourceVersion = "" } = metadata;
      await client.resource(configMaps).in(namespace).create(configMap("b"), signal);
      expect(tellings(await take(1, maps.watch({ resourceVersion }, signal)))).toEqual(["ADDED b"]);
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      expect(clock.pending()).toEqual([]);
      await client.resource(configMaps).in(namespace).get("a", signal);
    },
  },
];

const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} } as const;

/** A priority level with room for one at a time, and the rule that sends a user there. */
function crowding(name: string, user: string) {
  const level: flowcontrolv1.PriorityLevelConfiguration = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name },
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: "Reject" } },
    },
  };
  const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
  const schema: flowcontrolv1.FlowSchema = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: 2,
      rules: [{ subjects: [{ kind: "User", user: { name: user } }], resourceRules: [everything] }],
    },
  };
  return { level, schema };
}

const crowd = 6;

/** A crowd that asks at once, on a clock of its own. */
class Crowd {
  readonly clock = new FakeClock();
  readonly users: (string | undefined)[] = [];
  readonly asking: Promise<unknown>;

  constructor(ask: (clock: FakeClock) => Promise<string | undefined>) {
    const asking = Array.from({ length: crowd }, async () => this.users.push(await ask(this.clock)));
    this.asking = Promise.all(asking);
  }

  /** Resolves when each has been answered or waits to ask again; rejects if one has failed. */
  async settled(): Promise<void> {
    while (this.users.length + this.clock.pending().length < crowd) {
      await Promise.race([this.asking, systemClock.yield()]);
    }
  }
}

const byTheServer: readonly ClientCase[] = [
  {
    name: "who is refused for want of room asks again after as long as the server says",
    needs: ["flowControl"],
    async run({ client, namespace, signal }) {
      const user = `crowd-of-${namespace}`;
      const metrics = new MetricsRegistry();
      const ask = async (clock: FakeClock) => {
        const crowded = client.with({ clock, metrics, impersonate: { user } });
        return (await crowded.resource(selfSubjectReviews).create(review, signal)).status?.userInfo?.username;
      };
      const { level, schema } = crowding(namespace, user);
      await client.resource(priorityLevelConfigurations).create(level, signal);
      await client.resource(flowSchemas).create(schema, signal);
      let asked = new Crowd(ask);
      await asked.settled();
      // Servers take a moment to follow what they are told about flows, and now and then all find room.
      while (asked.clock.pending().length === 0) {
        asked = new Crowd(ask);
        await asked.settled();
      }
      // One of them gets through each time, if no more.
      for (let waits = asked.clock.pending(); waits.length > 0; waits = asked.clock.pending()) {
        const [wait] = waits;
        expect(wait?.dueInMs).toBeGreaterThanOrEqual(1_000);
        await asked.clock.advance(wait?.dueInMs ?? 0);
        await asked.settled();
      }
      await asked.asking;
      expect(asked.users).toEqual(Array.from({ length: crowd }, () => user));
      expect(metrics.print()).toMatch(/rest_client_requests_total\{code="429",method="POST",host="[^"]+"\} [1-9]/);
      await client.resource(flowSchemas).delete(namespace, signal);
      await client.resource(priorityLevelConfigurations).delete(namespace, signal);
    },
  },
];

export const limitCases: readonly ClientCase[] = [...byTheClient, ...byTheServer];
