import { type corev1, findCondition, type metav1, parseMicroTime, parseTime, type Transport } from "@kubeloop/core/api";
import { configMaps, events, leases, nodes, pods } from "@kubeloop/core/resources";
import { isPodReady } from "@kubeloop/core/rules";
import { eventually } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type HollowCluster, withHollowCluster } from "./hollow-cluster.fixture.ts";

const shell = (script: string): Partial<corev1.PodSpec> => ({
  restartPolicy: "Never",
  containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script] }],
});
const stateOf = (pod: corev1.Pod) => pod.status?.containerStatuses?.[0]?.state;
const secondsBetween = (from: metav1.Time | undefined | null, to: metav1.Time | undefined | null) =>
  (parseTime(to ?? "") - parseTime(from ?? "")) / 1000;
const readNode = ({ client, signal }: HollowCluster, name: string) => client.resource(nodes).get(name, signal);
const readyOf = (node: corev1.Node) => findCondition(node.status?.conditions, "Ready");

describe("a pod on a hollow node", () => {
  test("runs, is ready and has an address of the node", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      const pod = await cluster.until("web", "it is ready", isPodReady);
      expect(pod.status).toMatchObject({
        phase: "Running",
        podIP: "10.244.1.2",
        hostIP: "192.168.0.1",
        qosClass: "BestEffort",
        observedGeneration: 1,
      });
      await cluster.clock.advance(5000);
      const kubelet = "kubelet/node-1 spec.containers{c} Normal";
      expect((await cluster.eventsAbout("web")).toSorted()).toEqual(
        ["Created", "Pulled", "Pulling", "Started"].map((reason) => `${kubelet} ${reason}`),
      );
    }));

  test("shows that it is pending first", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      const pod = await cluster.until("web", "it was seen", (seen) => seen.status?.startTime !== undefined);
      expect([pod.status?.phase, stateOf(pod)]).toEqual(["Pending", { waiting: { reason: "ContainerCreating" } }]);
    }));

  test("completes after what its command takes", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("job", shell("echo working; sleep 5"));
      const pod = await cluster.until("job", "it has succeeded", ({ status }) => status?.phase === "Succeeded");
      const ended = stateOf(pod)?.terminated;
      expect([ended?.exitCode, ended?.reason, secondsBetween(ended?.startedAt, ended?.finishedAt)]).toEqual([
        0,
        "Completed",
        5,
      ]);
    }));

  test("backs off in a crash loop", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("crash", { ...shell("exit 1"), restartPolicy: "Always" });
      const pod = await cluster.until("crash", "it backs off for the third time", (seen) => {
        return seen.status?.containerStatuses?.[0]?.restartCount === 3 && stateOf(seen)?.waiting !== undefined;
      });
      expect(stateOf(pod)?.waiting?.message).toMatch(
        /^back-off 40s restarting failed container=c pod=crash_scenario\(/,
      );
      expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1);
      expect(pod.status?.phase).toBe("Running");
    }));

  test("is gone after its process has ended", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      await cluster.until("web", "it is ready", isPodReady);
      const beganMs = cluster.clock.now();
      await cluster.delete("web");
      expect((await cluster.get("web"))?.metadata.deletionTimestamp).toBeDefined();
      await cluster.untilGone("web");
      expect((cluster.clock.now() - beganMs) / 1000).toBeCloseTo(1, 0);
    }));

  test("takes its whole grace period if its process ignores the signal", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("deaf", { ...shell("sleep 1d"), restartPolicy: "Always" });
      await cluster.until("deaf", "it is ready", isPodReady);
      const beganMs = cluster.clock.now();
      await cluster.delete("deaf", 20);
      await cluster.untilGone("deaf");
      expect((cluster.clock.now() - beganMs) / 1000).toBeCloseTo(20, 0);
    }));

  test("is dropped at once by a forced deletion, and its successor starts anew", () =>
    withHollowCluster(async (cluster) => {
      const first = await cluster.create("web", {});
      await cluster.until("web", "it is ready", isPodReady);
      await cluster.delete("web", 0);
      const second = await cluster.create("web", {});
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      const pod = await cluster.until("web", "it is ready", isPodReady);
      expect([pod.metadata.uid, pod.status?.podIP]).toEqual([second.metadata.uid, "10.244.1.3"]);
    }));

  test("ends when it is evicted: its deletion comes while its node answers to the condition before it", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      await cluster.until("web", "it is ready", isPodReady);
      const metadata = { name: "web", namespace: "scenario" };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata } as const;
      const all = cluster.client.resource(pods).in("scenario");
      await all.subresource("eviction").create("web", eviction, cluster.signal);
      await cluster.untilGone("web");
    }));

  test("never starts from an image that does not exist", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("bad", { containers: [{ name: "c", image: "web:nonexistent" }] });
      const waits = (seen: corev1.Pod) => stateOf(seen)?.waiting?.reason === "ImagePullBackOff";
      expect((await cluster.until("bad", "it backs off", waits)).status?.phase).toBe("Pending");
    }));

  test("is rejected if there is no room for it, and room comes back when a pod ends", () =>
    withHollowCluster(async (cluster) => {
      const asking = (cpu: string, script: string): Partial<corev1.PodSpec> => ({
        restartPolicy: "Never",
        containers: [{ name: "c", image: "busybox", command: ["sh", "-c", script], resources: { requests: { cpu } } }],
      });
      await cluster.create("large", asking("6", "sleep 30"));
      await cluster.until("large", "it runs", ({ status }) => status?.phase === "Running");
      await cluster.create("second", asking("4", "sleep 30"));
      const rejected = await cluster.until("second", "it was rejected", ({ status }) => status?.phase === "Failed");
      expect(rejected.status).toMatchObject({
        reason: "OutOfcpu",
        message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 6000, capacity: 8000",
      });
      expect(rejected.status?.containerStatuses).toBeUndefined();
      await cluster.until("large", "it has ended", ({ status }) => status?.phase === "Succeeded");
      await cluster.create("third", asking("4", "sleep 30"));
      await cluster.until("third", "it runs", ({ status }) => status?.phase === "Running");
    }));

  test("follows its annotations, and says which it cannot read", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create(
        "odd",
        { restartPolicy: "Never" },
        { "kubeloop.dev/exit-code": "7", "kubeloop.dev/pull": "soon" },
      );
      const pod = await cluster.until("odd", "it has failed", ({ status }) => status?.phase === "Failed");
      await cluster.clock.advance(5000);
      expect(stateOf(pod)?.terminated?.exitCode).toBe(7);
      expect(await cluster.eventsAbout("odd")).toContain("kubelet/node-1 spec.containers{c} Warning InvalidAnnotation");
    }));

  test("becomes ready with its readiness gate", () =>
    withHollowCluster(async (cluster) => {
      const { client, signal } = cluster;
      await cluster.create("gated", { readinessGates: [{ conditionType: "example.com/up" }] });
      await cluster.until("gated", "it runs", ({ status }) => status?.phase === "Running");
      const status = { conditions: [{ type: "example.com/up", status: "True" }] };
      const statusClient = client.resource(pods).in("scenario").subresource("status");
      await statusClient.patch("gated", { type: "strategic", body: { status } }, signal);
      await cluster.until("gated", "it is ready", isPodReady);
    }));

  test("gets through lost answers and failed requests", () => {
    let requests = 0;
    const wrap =
      (transport: Transport): Transport =>
      async (request, signal) => {
        const isWrite = request.method === "PATCH" || request.method === "DELETE";
        if (isWrite && request.path.includes("/pods/")) {
          requests++;
          if (requests % 2 === 1) throw new Error("the connection broke");
        }
        return await transport(request, signal);
      };
    return withHollowCluster(
      async (cluster) => {
        await cluster.create("web", {});
        await cluster.until("web", "it is ready", isPodReady);
        await cluster.delete("web");
        await cluster.untilGone("web");
      },
      { wrap },
    );
  });
});

describe("a hollow node", () => {
  test("registers, and renews its lease every ten seconds", () =>
    withHollowCluster(async (cluster) => {
      const { client, clock, signal } = cluster;
      await clock.advance(1000);
      const lease = () => client.resource(leases).in("kube-node-lease").get("node-1", signal);
      const node = await readNode(cluster, "node-1");
      const first = await lease();
      expect(readyOf(node)).toMatchObject({ status: "True", reason: "KubeletReady" });
      expect(first.spec).toMatchObject({ holderIdentity: "node-1", leaseDurationSeconds: 40 });
      expect(first.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Node", uid: node.metadata.uid });
      const renewals: number[] = [];
      for (let i = 0; i < 4; i++) {
        await clock.advance(10_400);
        renewals.push(parseMicroTime((await lease()).spec?.renewTime ?? ""));
      }
      const gapsMs = renewals.slice(1).map((ms, before) => ms - (renewals[before] ?? 0));
      for (const gapMs of gapsMs) {
        expect(gapMs).toBeGreaterThanOrEqual(9_999);
        expect(gapMs).toBeLessThanOrEqual(10_401);
      }
    }));

  test("spreads its leases with those of others over the ten seconds", () => {
    const names = Array.from({ length: 100 }, (_, i) => `node-${i}`);
    return withHollowCluster(
      async ({ client, clock, signal }) => {
        await clock.advance(60_000);
        const seconds = new Set<number>();
        for await (const { spec } of client.resource(leases).in("kube-node-lease").list({}, signal)) {
          seconds.add(Math.floor(parseMicroTime(spec?.renewTime ?? "") / 1000));
        }
        expect(seconds.size).toBeGreaterThanOrEqual(9);
      },
      { nodes: names.map((name, i) => ({ name, internalIPs: [`192.168.1.${i}`] })) },
    );
  });

  test("writes its status only about every five minutes if nothing changes", () =>
    withHollowCluster(async (cluster) => {
      await cluster.clock.advance(1000);
      const version = async () => (await readNode(cluster, "node-1")).metadata.resourceVersion;
      const first = await version();
      await cluster.clock.advance(140_000);
      expect(await version()).toBe(first);
      // The first report after a change comes after half the time to one and a half times the time, at random.
      await cluster.clock.advance(330_000);
      const second = await version();
      expect(second).not.toBe(first);
    }));

  test("reports the images that it has pulled, and what it can do", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      await cluster.until("web", "it is ready", isPodReady);
      await cluster.clock.advance(11_000);
      const { status } = await readNode(cluster, "node-1");
      expect(status?.images).toEqual([
        {
          names: [expect.stringMatching(/^docker.io\/shop\/web@sha256:/), "docker.io/shop/web:v1"],
          sizeBytes: 10_000_000,
        },
      ]);
      expect(status?.declaredFeatures).toEqual(["ExtendWebSocketsToKubelet"]);
    }));

  test("tells of its start, of its health and of cordoning", () =>
    withHollowCluster(async (cluster) => {
      const { client, clock, signal, hollow } = cluster;
      await clock.advance(1000);
      hollow.setNotReady("node-1", "container runtime is down");
      await clock.advance(1000);
      hollow.setNotReady("node-1", undefined);
      for (const unschedulable of [true, false]) {
        await client.resource(nodes).patch("node-1", { type: "merge", body: { spec: { unschedulable } } }, signal);
        await clock.advance(1000);
      }
      await clock.advance(5000);
      const found: string[] = [];
      for await (const { involvedObject, reason, message, count = 1 } of client.resource(events).list({}, signal)) {
        if (involvedObject.name === "node-1") found.push(`${reason}*${count} ${message}`);
      }
      const status = (reason: string, count = 1) => `${reason}*${count} Node node-1 status is now: ${reason}`;
      expect(found.toSorted()).toEqual(
        [
          "Starting*1 Starting kubelet.",
          status("NodeHasNoDiskPressure"),
          status("NodeHasSufficientMemory"),
          status("NodeHasSufficientPID"),
          status("NodeNotReady"),
          status("NodeNotSchedulable"),
          status("NodeReady", 2),
          status("NodeSchedulable"),
        ].toSorted(),
      );
    }));

  for (const [how, cutOff, reconnect] of [
    [
      "by the library",
      async ({ hollow }: HollowCluster) => hollow.cutOff("node-1"),
      async ({ hollow }: HollowCluster) => hollow.reconnect("node-1"),
    ],
    ["by an annotation", annotate("kubeloop.dev/cut-off", "true"), annotate("kubeloop.dev/cut-off", null)],
  ] as const) {
    test(`is silent while it is cut off ${how}, and catches up afterwards`, () =>
      withHollowCluster(async (cluster) => {
        const { client, clock, signal } = cluster;
        await cluster.create("job", shell("sleep 30"));
        await cluster.until("job", "it runs", ({ status }) => status?.phase === "Running");
        await cutOff(cluster);
        await clock.advance(1000);
        const lease = () => client.resource(leases).in("kube-node-lease").get("node-1", signal);
        const before = (await lease()).spec?.renewTime;
        await cluster.create("late", {});
        await clock.advance(120_000);
        expect([(await lease()).spec?.renewTime, (await cluster.get("job"))?.status?.phase]).toEqual([
          before,
          "Running",
        ]);
        expect((await cluster.get("late"))?.status?.startTime).toBeUndefined();
        await reconnect(cluster);
        const pod = await cluster.until("job", "its end is seen", ({ status }) => status?.phase === "Succeeded");
        const ended = stateOf(pod)?.terminated;
        expect(secondsBetween(ended?.startedAt, ended?.finishedAt)).toBe(30);
        await cluster.until("late", "it is ready", isPodReady);
        expect((await lease()).spec?.renewTime).not.toBe(before);
      }));
  }

  test("says why it is not ready, and its new pods wait", () =>
    withHollowCluster(async (cluster) => {
      const { clock, hollow } = cluster;
      await clock.advance(1000);
      hollow.setNotReady("node-1", "container runtime is down");
      await clock.advance(1000);
      expect(readyOf(await readNode(cluster, "node-1"))).toMatchObject({
        status: "False",
        reason: "KubeletNotReady",
        message: "container runtime is down",
      });
      await cluster.create("web", {});
      await clock.advance(60_000);
      expect((await cluster.get("web"))?.status?.phase).toBe("Pending");
      expect(await cluster.eventsAbout("web")).toEqual(["kubelet/node-1 pod Warning NetworkNotReady"]);
      hollow.setNotReady("node-1", undefined);
      await cluster.until("web", "it is ready", isPodReady);
      expect(readyOf(await readNode(cluster, "node-1"))?.status).toBe("True");
    }));

  test("waits for its pod CIDR, if nobody said otherwise", () =>
    withHollowCluster(
      async (cluster) => {
        const { client, clock, signal } = cluster;
        await cluster.create("web", {});
        await clock.advance(60_000);
        expect((await cluster.get("web"))?.status?.podIP).toBeUndefined();
        const body = { spec: { podCIDR: "10.9.0.0/24", podCIDRs: ["10.9.0.0/24"] } };
        await client.resource(nodes).patch("node-1", { type: "merge", body }, signal);
        const pod = await cluster.until("web", "it is ready", isPodReady);
        expect(pod.status?.podIP).toBe("10.9.0.2");
      },
      { podCidrsOf: () => [] },
    ));

  test("does not come back when it was deleted", () =>
    withHollowCluster(async (cluster) => {
      const { client, clock, signal } = cluster;
      await clock.advance(1000);
      await client.resource(nodes).delete("node-1", signal);
      await clock.advance(600_000);
      const names: string[] = [];
      for await (const node of client.resource(nodes).list({}, signal)) names.push(node.metadata.name ?? "");
      expect(names).toEqual(["node-2"]);
      // Its lease would have no owner, and stay for ever.
      await client.resource(leases).in("kube-node-lease").delete("node-1", signal);
      await clock.advance(60_000);
      const left: string[] = [];
      for await (const { metadata } of client.resource(leases).in("kube-node-lease").list({}, signal)) {
        left.push(metadata.name ?? "");
      }
      expect(left).toEqual(["node-2"]);
    }));

  test("takes over the pods of an earlier process where they are", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("web", {});
      await cluster.create("job", shell("sleep 60"));
      await cluster.create("deaf", { ...shell("sleep 1d"), restartPolicy: "Always" });
      for (const name of ["web", "job", "deaf"]) await cluster.until(name, "it is ready", isPodReady);
      const before = await cluster.get("web");
      await cluster.restart(120_000);
      await cluster.create("new", {});
      await cluster.until("job", "its end is seen", ({ status }) => status?.phase === "Succeeded");
      const addresses = [(await cluster.until("new", "it is ready", isPodReady)).status?.podIP, before?.status?.podIP];
      expect(new Set(addresses).size).toBe(2);
      const statuses = (pod: corev1.Pod | undefined) => [pod?.status?.containerStatuses, pod?.status?.conditions];
      expect(statuses(await cluster.get("web"))).toEqual(statuses(before));
      const beganMs = cluster.clock.now();
      await cluster.delete("deaf", 20);
      await cluster.untilGone("deaf");
      expect((cluster.clock.now() - beganMs) / 1000).toBeCloseTo(20, 0);
    }));

  test("leaves pods of others alone", () =>
    withHollowCluster(async (cluster) => {
      await cluster.create("other", { nodeName: "real-node" });
      await cluster.clock.advance(60_000);
      expect((await cluster.get("other"))?.status?.startTime).toBeUndefined();
    }));
});

test("faster nodes pull, start and stop faster, but a pod's own times stay", () =>
  withHollowCluster(
    async (cluster) => {
      const beganMs = cluster.clock.now();
      await cluster.create("job", shell("sleep 5"));
      await cluster.until("job", "it runs", isPodReady);
      expect(cluster.clock.now() - beganMs).toBeLessThan(50);
      const pod = await cluster.until("job", "it has ended", ({ status }) => status?.phase === "Succeeded");
      const ended = stateOf(pod)?.terminated;
      expect(secondsBetween(ended?.startedAt, ended?.finishedAt)).toBe(5);
    },
    { speed: 100 },
  ));

describe("a pod whose ConfigMap is missing", () => {
  const volumes = [{ name: "v", configMap: { name: "settings" } }];
  for (const [how, spec, reason, event] of [
    [
      "for a variable",
      { ...shell("exit $CODE"), containers: [withVariable("exit $CODE")] },
      "CreateContainerConfigError",
      "kubelet/node-1 spec.containers{c} Warning Failed",
    ],
    [
      "for a volume",
      { ...shell("exit 3"), containers: [withVolume("if [ -f /etc/settings/code ]; then exit 3; fi")], volumes },
      "ContainerCreating",
      "kubelet/node-1 pod Warning FailedMount",
    ],
  ] as const) {
    test(`${how} waits for it, and goes on at once when it is there`, () =>
      withHollowCluster(async (cluster) => {
        const { client, clock, signal } = cluster;
        await cluster.create("job", spec);
        // Between two attempts of the node's own.
        await clock.advance(65_000);
        const waiting = await cluster.get("job");
        expect([waiting?.status?.phase, waiting === undefined ? undefined : stateOf(waiting)?.waiting?.reason]).toEqual(
          ["Pending", reason],
        );
        expect(await cluster.eventsAbout("job")).toContain(event);
        const metadata = { name: "settings", namespace: "scenario" };
        const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { code: "3" } } as const;
        await client.resource(configMaps).in("scenario").create(map, signal);
        const createdMs = clock.now();
        const pod = await cluster.until("job", "it has failed", ({ status }) => status?.phase === "Failed");
        expect(stateOf(pod)?.terminated?.exitCode).toBe(3);
        expect(clock.now() - createdMs).toBeLessThan(2000);
      }));
  }
});

test("a ConfigMap that comes while a pod's status is on its way costs the pod no time", async () => {
  const metadata = { name: "settings", namespace: "scenario" };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { code: "3" } } as const;
  const spec = { ...shell("exit $CODE"), containers: [withVariable("exit $CODE")] };
  /** How long the pod takes if the ConfigMap comes while the status that says what is missing is on its way, or right after it. */
  const tookMs = async (when: "meanwhile" | "after") => {
    const late: { createMap?: () => Promise<void> } = {};
    const wrap =
      (transport: Transport): Transport =>
      async (request, signal) => {
        const isIt = request.method === "PATCH" && JSON.stringify(request.body).includes("CreateContainerConfigError");
        if (isIt && when === "meanwhile") await late.createMap?.();
        const response = await transport(request, signal);
        if (isIt && when === "after") void late.createMap?.();
        return response;
      };
    let ms = Number.NaN;
    await withHollowCluster(
      async (cluster) => {
        const { client, clock, signal } = cluster;
        late.createMap = async () => {
          // The status has arrived, or the nodes' cache has the ConfigMap, when these rounds are over.
          const rounds = async () => {
            for (let round = 0; round < 20; round++) await clock.yield();
          };
          if (when === "after") await rounds();
          await client.resource(configMaps).in("scenario").create(map, signal);
          if (when === "meanwhile") await rounds();
        };
        const begunMs = clock.now();
        await cluster.create("job", spec);
        await cluster.until("job", "it has failed", ({ status }) => status?.phase === "Failed");
        ms = clock.now() - begunMs;
      },
      { wrap },
    );
    return ms;
  };
  expect(await tookMs("meanwhile")).toBe(await tookMs("after"));
});

function withVolume(script: string): corev1.Container {
  const volumeMounts = [{ name: "v", mountPath: "/etc/settings" }];
  return { name: "c", image: "busybox", command: ["sh", "-c", script], volumeMounts };
}

function withVariable(script: string): corev1.Container {
  const valueFrom = { configMapKeyRef: { name: "settings", key: "code" } };
  return { name: "c", image: "busybox", command: ["sh", "-c", script], env: [{ name: "CODE", valueFrom }] };
}

test("a quiet hour of a hundred pods costs no request for a pod", () => {
  let writes = 0;
  const wrap =
    (transport: Transport): Transport =>
    (request, signal) => {
      if (request.method !== "GET" && request.path.includes("/pods/")) writes++;
      return transport(request, signal);
    };
  return withHollowCluster(
    async (cluster) => {
      for (let i = 0; i < 100; i++) await cluster.create(`web-${i}`, {});
      const areReady = async () => {
        for (let i = 0; i < 100; i++) {
          const pod = await cluster.get(`web-${i}`);
          if (pod === undefined || !isPodReady(pod)) return false;
        }
        return true;
      };
      await eventually(cluster.clock, areReady, { what: "all are ready" });
      // Pending, and running.
      expect(writes).toBe(200);
      await cluster.clock.advance(3_600_000);
      expect(writes).toBe(200);
    },
    { wrap },
  );
});

test("an idle minute of a hundred nodes with a hundred pods costs only the renewals of their leases", () => {
  const requests = new Map<string, number>();
  const wrap =
    (transport: Transport): Transport =>
    (request, signal) => {
      const what = `${request.method} ${request.path.split("/").slice(0, -1).join("/")}`;
      requests.set(what, (requests.get(what) ?? 0) + 1);
      return transport(request, signal);
    };
  const names = Array.from({ length: 100 }, (_, i) => `node-${i}`);
  return withHollowCluster(
    async (cluster) => {
      for (const nodeName of names) await cluster.create(`on-${nodeName}`, { nodeName });
      await cluster.clock.advance(60_000);
      requests.clear();
      await cluster.clock.advance(60_000);
      const leasePath = "PATCH /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
      const renewals = requests.get(leasePath) ?? 0;
      requests.delete(leasePath);
      // Watches are opened anew from time to time.
      for (const what of requests.keys()) if (what.startsWith("GET")) requests.delete(what);
      expect([...requests]).toEqual([]);
      expect(Math.round(renewals / names.length)).toBe(6);
    },
    { wrap, nodes: names.map((name, i) => ({ name, internalIPs: [`192.168.1.${i}`] })) },
  );
});

function annotate(key: string, value: string | null) {
  return async ({ client, signal }: HollowCluster): Promise<void> => {
    const body = { metadata: { annotations: { [key]: value } } };
    await client.resource(nodes).patch("node-1", { type: "merge", body }, signal);
  };
}
