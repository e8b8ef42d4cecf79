// Writes events through a client to a server, while responses are lost, requests are refused, and the server deletes events. Each seed gives
// one sequence of faults. For every seed, each recorded event is on the server at the end, once, with the right count.
import { describe, expect, test } from "vitest";
import { events, eventsEvents } from "../../api/generated/resources.ts";
import { type FaultRule, type KubernetesObject, keyOf, type Resource, withFaults } from "../../api/index.ts";
import { FakeClock, MetricsRegistry, randomBelow, randomBetween, seededRandom } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { coreEventSink, EventBroadcaster, seriesEventSink, servedEventSink } from "../../events/index.ts";
import { GrownServer } from "../contract/grown-server.fixture.ts";
import { assertNoLeaks } from "../leak-check.ts";

const writes = { verbs: ["create", "patch"] };
const rules: readonly FaultRule[] = [
  { name: "lost", match: writes, probability: 0.08, fault: { kind: "reset", when: "before" } },
  { name: "answer lost", match: writes, probability: 0.08, fault: { kind: "reset", when: "after" } },
  { name: "never answered", match: writes, probability: 0.04, fault: { kind: "silence" } },
  { name: "busy", match: writes, probability: 0.05, fault: { kind: "status", code: 429, retryAfterSeconds: 1 } },
  { name: "broken", match: writes, probability: 0.05, fault: { kind: "status", code: 500 } },
  { name: "away", match: writes, probability: 0.05, fault: { kind: "status", code: 503 } },
  {
    name: "slow",
    match: writes,
    probability: 0.2,
    fault: { kind: "delay", delayMs: { minMs: 1, maxMs: 4000 }, when: "after" },
  },
];

interface History {
  readonly api: "v1" | "events.k8s.io/v1";
  /** Whether the server sometimes deletes events, as a real server does with old ones. */
  readonly forgets: boolean;
}

/** Returns the recorded counts, the counts found on the server, the metric of dropped events, and the injected faults. */
async function run(seed: number, { api, forgets }: History) {
  const random = seededRandom(seed);
  const clock = new FakeClock();
  const grown = new GrownServer({ clock, resources: [events, eventsEvents] });
  const transport = withFaults(grown.transport, rules, { clock, random: random.fork("faults") });
  const client = clientOf(transport, { clock });
  const metrics = new MetricsRegistry();
  const correlator = { spamBurst: 1_000_000, maxSimilar: 1_000_000 };
  const broadcaster = new EventBroadcaster({ clock, random: random.fork("events"), metrics, correlator });
  broadcaster.startRecordingToSink(api === "v1" ? coreEventSink(client) : seriesEventSink(client));
  const recorder = broadcaster.newRecorder({ component: "test" });
  const stop = new AbortController();
  const running = broadcaster.run(stop.signal);
  const counts = new Map<string, number>();
  const resource: Resource = api === "v1" ? events : eventsEvents;
  for (let i = 0; i < 60; i++) {
    const name = `pod-${randomBelow(random, 4)}`;
    const reason = `Reason${randomBelow(random, 2)}`;
    recorder.event({ apiVersion: "v1", kind: "Pod", namespace: "shop", name }, "Normal", reason, "m");
    counts.set(`${name} ${reason}`, (counts.get(`${name} ${reason}`) ?? 0) + 1);
    await clock.advance(random.next() < 0.3 ? 0 : randomBetween(random, 1, 12_000));
    const stored = grown.server.list(resource);
    if (forgets && random.next() < 0.05 && stored.length > 0)
      grown.server.delete(resource, keyOf(stored[randomBelow(random, stored.length)] as KubernetesObject));
  }
  // This is long enough for every retry, and for every series to end.
  await clock.advance(1_800_000);
  stop.abort();
  await clock.drive(running);
  assertNoLeaks({ clock, servers: [grown.server], signals: [stop.signal] });
  const found = new Map<string, number[]>();
  const note = (about: string, count: number) => found.set(about, [...(found.get(about) ?? []), count]);
  for (const event of grown.server.list(events)) note(`${event.involvedObject.name} ${event.reason}`, event.count ?? 0);
  for (const event of grown.server.list(eventsEvents))
    note(`${event.regarding?.name} ${event.reason}`, event.series?.count ?? 1);
  return {
    counts,
    found,
    dropped: /^kubeloop_events_dropped_total.*$/m.exec(metrics.print())?.[0],
    injected: transport.injected,
  };
}

describe("what was recorded is there in the end, once, with the right count", () => {
  test.each<[string, History]>([
    ["in core/v1", { api: "v1", forgets: false }],
    ["in events.k8s.io/v1", { api: "events.k8s.io/v1", forgets: false }],
  ])("%s", async (_, history) => {
    const kinds = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const { counts, found, dropped, injected } = await run(seed, history);
      expect(dropped, `seed ${seed}`).toBeUndefined();
      expect(new Map([...found].sort()), `seed ${seed}`).toEqual(
        new Map([...counts].sort().map(([about, count]) => [about, [count]])),
      );
      for (const { rule } of injected) kinds.add(rule);
    }
    expect([...kinds].sort()).toEqual(rules.map(({ name }) => name).sort());
  });
});

test("what the server has forgotten is made anew when it happens again, and never twice", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const { counts, found, dropped } = await run(seed, { api: "v1", forgets: true });
    expect(dropped, `seed ${seed}`).toBeUndefined();
    for (const [about, stored] of found) expect(stored, `seed ${seed}`).toEqual([counts.get(about)]);
  }
});

test("the newer API is written to where it is served, the older one where it is not", async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const apiOf = async (resources: readonly (typeof events | typeof eventsEvents)[]) =>
    (await servedEventSink(clientOf(new GrownServer({ clock, resources }).transport, { clock }), signal)).api;
  expect(await apiOf([events, eventsEvents])).toBe("events.k8s.io/v1");
  expect(await apiOf([events])).toBe("v1");
});
