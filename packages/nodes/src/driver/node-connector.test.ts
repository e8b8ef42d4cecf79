import type { corev1 } from "@kubeloop/core/api";
import type { PodLogOptions } from "@kubeloop/core/client";
import { isPodReady } from "@kubeloop/core/rules";
import { eventually } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type HollowCluster, withHollowCluster } from "./hollow-cluster.fixture.ts";

const shell = (script: string, restartPolicy = "Never"): Partial<corev1.PodSpec> => ({
  restartPolicy,
  containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script] }],
});

async function readLog({ client, signal }: HollowCluster, name: string, options: PodLogOptions = {}) {
  const lines: string[] = [];
  for await (const line of client.podLogs({ namespace: "scenario", name, ...options }, signal)) lines.push(line);
  return lines;
}

const hasEnded = ({ status }: corev1.Pod) => status?.phase === "Succeeded";

describe("the log of a pod", () => {
  const script = "echo one; sleep 10; echo two; sleep 10; echo three";
  for (const [what, options, expected] of [
    ["is what it printed", {}, ["one", "two", "three"]],
    ["by its last lines", { tailLines: 2 }, ["two", "three"]],
    ["by its last seconds", { sinceSeconds: 15 }, ["two", "three"]],
    ["tail first, then since", { tailLines: 3, sinceSeconds: 5 }, ["three"]],
    ["by bytes, in the midst of a line", { limitBytes: 6 }, ["one", "tw"]],
  ] as const) {
    test(what, () =>
      withHollowCluster(async (cluster) => {
        await cluster.create("job", shell(script));
        await cluster.until("job", "it has ended", hasEnded);
        expect(await readLog(cluster, "job", options)).toEqual(expected);
      }),
    );
  }

  test("has timestamps with nine digits", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell("echo one"));
      await cluster.until("job", "it has ended", hasEnded);
      const [line] = await readLog(cluster, "job", { timestamps: true });
      expect(line).toMatch(/^2030-01-01T00:00:00\.\d{9}Z one$/);
    }));

  test("is what was printed so far", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell(script));
      await cluster.until("job", "it runs", isPodReady);
      await cluster.clock.advance(12_000);
      expect(await readLog(cluster, "job")).toEqual(["one", "two"]);
    }));

  test("is scripted by an annotation", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {}, { "kubeloop.dev/log": "listening\nready" });
      await cluster.until("web", "it runs", isPodReady);
      expect(await readLog(cluster, "web")).toEqual(["listening", "ready"]);
    }));

  test("of the attempt before, in a crash loop", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("crash", shell("echo crashing; sleep 1; exit 1", "Always"));
      await cluster.until("crash", "it has restarted", (pod) => pod.status?.containerStatuses?.[0]?.restartCount === 1);
      expect(await readLog(cluster, "crash", { previous: true })).toEqual(["crashing"]);
    }));

  test("is followed line by line, until the container ends", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell(script));
      await cluster.until("job", "it runs", isPodReady);
      const startedMs = cluster.clock.now();
      const seen: string[] = [];
      let hasFinished = false;
      const { client, signal } = cluster;
      const following = (async () => {
        const log = client.podLogs({ namespace: "scenario", name: "job", follow: true }, signal);
        for await (const line of log) seen.push(`${Math.round((cluster.clock.now() - startedMs) / 1000)} ${line}`);
        hasFinished = true;
      })();
      await eventually(cluster.clock, () => hasFinished);
      await following;
      expect(seen).toEqual(["0 one", "10 two", "20 three"]);
    }));

  test("ends for a slow reader, too, whose pod goes while a line is on its way", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell("echo one; sleep 10; echo two; sleep 1d"));
      await cluster.until("job", "it runs", isPodReady);
      const { client, signal, clock } = cluster;
      const log = client.podLogs({ namespace: "scenario", name: "job", follow: true }, signal)[Symbol.asyncIterator]();
      const read: unknown[] = [];
      const readNext = () =>
        void log.next().then(
          ({ value, done }) => read.push(done === true ? "the end" : value),
          (error: unknown) => read.push(error),
        );
      readNext();
      await clock.advance(1000);
      readNext();
      await clock.advance(10_000);
      expect(read).toEqual(["one", "two"]);
      await cluster.delete("job", 0);
      await clock.advance(1000);
      readNext();
      await clock.advance(1000);
      expect(read).toEqual(["one", "two", "the end"]);
    }));

  test("is still there after a restart of the process, of a pod that had ended before", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell("echo done"));
      await cluster.until("job", "it has ended", hasEnded);
      await cluster.restart(60_000);
      await cluster.clock.advance(1000);
      expect(await readLog(cluster, "job")).toEqual(["done"]);
    }));

  test("is out of reach while the node is cut off", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell("echo one; sleep 1h"));
      await cluster.until("job", "it runs", isPodReady);
      const { client, signal, hollow } = cluster;
      const read: string[] = [];
      const following = (async () => {
        for await (const line of client.podLogs({ namespace: "scenario", name: "job", follow: true }, signal)) {
          read.push(line);
        }
      })();
      await eventually(cluster.clock, () => read.length > 0);
      hollow.cutOff("node-1");
      const unreachable = 'Get "https://node-1:10250/containerLogs/scenario/job/c": dial tcp node-1:10250: connect';
      await expect(readLog(cluster, "job")).rejects.toThrow(unreachable);
      await expect(following).rejects.toThrow("the node is out of reach");
      hollow.reconnect("node-1");
      expect(await readLog(cluster, "job")).toEqual(["one"]);
    }));

  for (const [what, spec, options, message] of [
    [
      "before the container has started",
      { containers: [{ name: "c", image: "web:nonexistent" }] },
      {},
      'container "c" in pod "p" is waiting to start: trying and failing to pull image',
    ],
    ["of an attempt that never was", {}, { previous: true }, 'previous terminated container "c" in pod "p" not found'],
  ] as const) {
    test(`is refused ${what}`, () =>
      withHollowCluster(async (cluster) => {
        await cluster.create("p", spec);
        await cluster.clock.advance(5000);
        await expect(readLog(cluster, "p", options)).rejects.toThrow(message);
      }));
  }
});
