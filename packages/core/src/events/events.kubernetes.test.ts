// Events on a real kube-apiserver: what it makes of what is written, by either API.
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configMaps, events, eventsEvents, namespaces } from "../api/generated/resources.ts";
import type { corev1, KubernetesObject, Resource } from "../api/index.ts";
import { deferred, MetricsRegistry } from "../base/index.ts";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "../client/index.ts";
import { EventBroadcaster } from "./event-broadcaster.ts";
import { eventFieldSelector } from "./event-field-selector.ts";
import { coreEventSink, type EventSink, seriesEventSink, servedEventSink } from "./event-sink.ts";
import type { EventSubject } from "./recorded-event.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let client: Client;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, signal);
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  client = openClient(clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) }));
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** An object to have events about, in a namespace of its own. */
async function newSubject(namespace: string): Promise<corev1.ConfigMap> {
  await client
    .resource(namespaces)
    .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, signal);
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "subject", namespace } } as const;
  return await client.resource(configMaps).in(namespace).create(map, signal);
}

/** A broadcaster to this sink, and a way to wait until so many writes have been answered. */
function recordTo(sink: EventSink) {
  const answers: string[] = [];
  let heard = deferred<void>();
  const noting =
    (verb: string, write: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]): Promise<unknown> => {
      try {
        const written = await write(...args);
        answers.push(verb);
        return written;
      } catch (error) {
        answers.push(`${verb} refused`);
        throw error;
      } finally {
        heard.resolve();
        heard = deferred();
      }
    };
  const metrics = new MetricsRegistry();
  const broadcaster = new EventBroadcaster({ metrics });
  broadcaster.startRecordingToSink({
    ...sink,
    create: noting("create", sink.create as never),
    patch: noting("patch", sink.patch as never),
  } as EventSink);
  const stop = new AbortController();
  const running = broadcaster.run(stop.signal);
  return {
    recorder: broadcaster.newRecorder({ component: "kubeloop.dev/test", instance: "test-1" }),
    answers,
    metrics,
    until: async (count: number) => {
      while (answers.length < count) await heard.promise;
    },
    end: async () => {
      stop.abort();
      await running;
    },
  };
}

const listed = async <T extends KubernetesObject>(resource: Resource<T>, namespace: string, about?: EventSubject) => {
  const api = resource.group === "" ? "v1" : "events.k8s.io/v1";
  const fieldSelector = eventFieldSelector(api, about ?? {});
  return (await client.resource(resource).in(namespace).list({ fieldSelector }, signal).toArray()).items;
};

describe("events of core/v1", () => {
  const about = async (subject: corev1.ConfigMap) =>
    (await listed(events, subject.metadata.namespace ?? "", subject))
      .map(({ reason, message, count }) => `${reason} ${message} ×${count}`)
      .sort();

  test("are made, counted by patches, and made anew when the server has forgotten them", async () => {
    const subject = await newSubject("counted");
    const { recorder, answers, until, end } = recordTo(coreEventSink(client));
    for (let i = 1; i <= 3; i++) {
      recorder.event(subject, "Normal", "Counted", "it happened");
      await until(i);
    }
    expect(answers).toEqual(["create", "patch", "patch"]);
    expect(await about(subject)).toEqual(["Counted it happened ×3"]);
    const [stored] = await listed(events, "counted");
    expect(stored).toMatchObject({
      involvedObject: { kind: "ConfigMap", name: "subject", uid: subject.metadata.uid },
      source: { component: "kubeloop.dev/test" },
      reportingComponent: "kubeloop.dev/test",
      reportingInstance: "test-1",
      type: "Normal",
    });
    await client
      .resource(events)
      .in("counted")
      .delete(stored?.metadata.name ?? "", signal);
    recorder.event(subject, "Normal", "Counted", "it happened");
    await until(5);
    await end();
    expect(answers.slice(3)).toEqual(["patch refused", "create"]);
    expect(await about(subject)).toEqual(["Counted it happened ×4"]);
  });

  test("are told together from the tenth message on", async () => {
    const subject = await newSubject("combined");
    const { recorder, until, end } = recordTo(coreEventSink(client));
    for (let i = 1; i <= 12; i++) {
      recorder.event(subject, "Warning", "Failed", `attempt ${i}`);
      await until(i);
    }
    await end();
    const expected = Array.from({ length: 9 }, (_, i) => `Failed attempt ${i + 1} ×1`);
    expect(await about(subject)).toEqual(["Failed (combined from similar events): attempt 12 ×3", ...expected]);
  });

  test("about what has no namespace are kept in default", async () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "2001:db8::1" } };
    const { recorder, end } = recordTo(coreEventSink(client));
    recorder.event(node, "Normal", "Odd", "a name that no event may have");
    await end();
    expect(await listed(events, "default", node)).toHaveLength(1);
  });

  test("in a namespace that is going away are given up, and those after them are not", async () => {
    const subject = await newSubject("going");
    const other = await newSubject("staying");
    await client.resource(namespaces).delete("going", signal);
    const { recorder, answers, metrics, end, until } = recordTo(coreEventSink(client));
    recorder.event(subject, "Normal", "Late", "too late");
    await until(1);
    recorder.event(other, "Normal", "Early", "in time");
    await end();
    expect(answers).toEqual(["create refused", "create"]);
    expect(metrics.print()).toContain('kubeloop_events_dropped_total{sink="v1",why="refused"} 1');
    expect(await about(other)).toEqual(["Early in time ×1"]);
  });
});

describe("events of events.k8s.io/v1", () => {
  test("become a series, whose last count is told in the end", async () => {
    const subject = await newSubject("series");
    const sink = await servedEventSink(client, signal);
    expect(sink.api).toBe("events.k8s.io/v1");
    const { recorder, answers, until, end } = recordTo(sink);
    const details = {
      regarding: subject,
      related: subject,
      type: "Normal",
      reason: "Repeated",
      action: "Trying",
    } as const;
    recorder.eventf({ ...details, note: "€".repeat(1000) });
    await until(1);
    recorder.eventf({ ...details, note: "again" });
    await until(2);
    for (let i = 0; i < 3; i++) recorder.eventf({ ...details, note: "again" });
    await end();
    expect(answers).toEqual(["create", "patch", "patch"]);
    const found = await listed(eventsEvents, "series", subject);
    expect(found).toMatchObject([
      {
        regarding: { name: "subject" },
        related: { name: "subject" },
        action: "Trying",
        reportingController: "kubeloop.dev/test",
        reportingInstance: "test-1",
        series: { count: 5 },
      },
    ]);
    expect(found[0]?.note).toBe("€".repeat(341));
  });

  test("have an action even when recorded without one", async () => {
    const subject = await newSubject("plain");
    const { recorder, answers, end } = recordTo(seriesEventSink(client));
    recorder.event(subject, "Warning", "Plain", "as in the older API");
    await end();
    expect(answers).toEqual(["create"]);
    const found = await listed(eventsEvents, "plain");
    expect(found).toMatchObject([{ action: "Plain", note: "as in the older API" }]);
  });
});
