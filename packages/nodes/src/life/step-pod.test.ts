import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { deleted, type PlayOptions, play, podOf, server, shell, summary } from "./play-pod.fixture.ts";

const probe = (more: Partial<corev1.Probe> = {}): corev1.Probe => ({ tcpSocket: { port: 80 }, ...more });
const sidecar = (name: string, more: Partial<corev1.Container> = {}) =>
  server(name, { restartPolicy: "Always", ...more });

interface Row {
  readonly what: string;
  readonly spec: Parameters<typeof podOf>[0];
  readonly annotations?: Record<string, string>;
  readonly options: PlayOptions;
  readonly shows: readonly string[];
}

const rows: readonly Row[] = [
  {
    what: "a plain pod runs and is ready",
    spec: { containers: [server("c")] },
    options: { untilSeconds: 3600 },
    shows: ["0 Pending c=ContainerCreating", "2 Running ready c=running"],
  },
  {
    what: "of two containers, each starts when its image is there",
    spec: { containers: [server("b"), server("a", { image: "other" })] },
    annotations: { "kubeloop.dev/pull.b": "5s" },
    options: { untilSeconds: 60 },
    shows: [
      "0 Pending a=ContainerCreating b=ContainerCreating",
      "2 Pending a=running b=ContainerCreating",
      "6 Running ready a=running b=running",
    ],
  },
  {
    what: "a job's pod succeeds",
    spec: { restartPolicy: "Never", containers: [shell("c", "sleep 5")] },
    options: { untilSeconds: 3600 },
    shows: ["0 Pending c=ContainerCreating", "2 Running ready c=running", "7 Succeeded c=exit0"],
  },
  {
    what: "a job's pod fails",
    spec: { restartPolicy: "Never", containers: [shell("c", "sleep 1; exit 3")] },
    options: { untilSeconds: 3600 },
    shows: ["0 Pending c=ContainerCreating", "2 Running ready c=running", "3 Failed c=exit3"],
  },
  {
    what: "OnFailure restarts until it succeeds",
    spec: { restartPolicy: "OnFailure", containers: [server("c")] },
    annotations: { "kubeloop.dev/run-for": "2s", "kubeloop.dev/exit-code": "1,0" },
    options: { untilSeconds: 3600 },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "4 Running c=exit1",
      "5 Running ready c=running*1",
      "7 Succeeded c=exit0*1",
    ],
  },
  {
    what: "a crash loop backs off for 10 s, 20 s and so on, and the first restart is free",
    spec: { containers: [shell("c", "exit 1")] },
    options: { untilSeconds: 40 },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running c=exit1",
      "3 Running c=exit1*1",
      "4 Running c=CrashLoopBackOff*1",
      "13 Running c=exit1*2",
      "14 Running c=CrashLoopBackOff*2",
      "33 Running c=exit1*3",
      "34 Running c=CrashLoopBackOff*3",
    ],
  },
  {
    what: "init containers run one after the other, and a failing one starts again",
    spec: {
      initContainers: [shell("i1", "sleep 2"), shell("i2", "sleep 2")],
      containers: [server("c")],
    },
    annotations: { "kubeloop.dev/exit-code.i2": "1,0" },
    options: { untilSeconds: 3600 },
    shows: [
      "0 Pending i1=PodInitializing i2=PodInitializing c=PodInitializing",
      "2 Pending i1=running i2=PodInitializing c=PodInitializing",
      "4 Pending i1=exit0 i2=running c=PodInitializing",
      "6 Pending i1=exit0 i2=exit1 c=PodInitializing",
      "7 Pending i1=exit0 i2=running*1 c=PodInitializing",
      "9 Pending i1=exit0 i2=exit0*1 c=PodInitializing",
      "10 Running ready i1=exit0 i2=exit0*1 c=running",
    ],
  },
  {
    what: "a failing init container fails a pod that is never restarted",
    spec: { restartPolicy: "Never", initContainers: [shell("i", "exit 2")], containers: [server("c")] },
    options: { untilSeconds: 60 },
    shows: ["0 Pending i=PodInitializing c=PodInitializing", "2 Failed i=exit2 c=PodInitializing"],
  },
  {
    what: "a sidecar starts first, and stops when the work is done",
    spec: {
      restartPolicy: "Never",
      initContainers: [sidecar("s")],
      containers: [shell("c", "sleep 5")],
    },
    options: { untilSeconds: 60 },
    shows: [
      "0 Pending s=PodInitializing c=PodInitializing",
      "2 Pending s=running c=PodInitializing",
      "3 Running ready s=running c=running",
      "8 Running s=running c=exit0",
      "9 Succeeded s=exit0 c=exit0",
    ],
  },
  {
    what: "what comes after a sidecar waits for its startup probe",
    spec: {
      initContainers: [sidecar("s", { startupProbe: probe({ periodSeconds: 5 }) })],
      containers: [server("c")],
    },
    annotations: { "kubeloop.dev/started-after.s": "8s" },
    options: { untilSeconds: 30 },
    shows: [
      "0 Pending s=PodInitializing c=PodInitializing",
      "2 Pending s=running c=PodInitializing",
      "12 Running ready s=running c=running",
    ],
  },
  {
    what: "a sidecar that fails is restarted under every policy",
    spec: { restartPolicy: "Never", initContainers: [sidecar("s")], containers: [server("c")] },
    annotations: { "kubeloop.dev/run-for.s": "5s", "kubeloop.dev/exit-code.s": "1" },
    options: { untilSeconds: 9 },
    shows: [
      "0 Pending s=PodInitializing c=PodInitializing",
      "2 Running ready s=running c=running",
      "7 Running s=exit1 c=running",
      "8 Running ready s=running*1 c=running",
    ],
  },
  {
    what: "readiness waits for the probe's initial delay, by whole periods",
    spec: { containers: [server("c", { readinessProbe: probe({ initialDelaySeconds: 15 }) })] },
    options: { untilSeconds: 60 },
    shows: ["0 Pending c=ContainerCreating", "2 Running c=running", "22 Running ready c=running"],
  },
  {
    what: "readiness fails where annotations say so",
    spec: { containers: [server("c", { readinessProbe: probe({ periodSeconds: 5, failureThreshold: 2 }) })] },
    annotations: { "kubeloop.dev/unready-after": "10s" },
    options: { untilSeconds: 60 },
    shows: ["0 Pending c=ContainerCreating", "2 Running ready c=running", "17 Running c=running"],
  },
  {
    what: "a failing liveness probe kills and restarts",
    spec: { containers: [server("c", { livenessProbe: probe({ periodSeconds: 10, failureThreshold: 3 }) })] },
    annotations: { "kubeloop.dev/fail-liveness-after": "5s" },
    options: { untilSeconds: 40 },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "33 Running c=exit0",
      "34 Running ready c=running*1",
    ],
  },
  {
    what: "a startup probe that never passes kills, too",
    spec: { containers: [server("c", { startupProbe: probe({ periodSeconds: 1, failureThreshold: 3 }) })] },
    annotations: { "kubeloop.dev/started-after": "never" },
    options: { untilSeconds: 6 },
    shows: ["0 Pending c=ContainerCreating", "2 Running c=running", "5 Running c=exit0", "6 Running c=running*1"],
  },
  {
    what: "an image that is not there is tried again with backoff",
    spec: { containers: [server("c", { image: "web:nonexistent" })] },
    options: { untilSeconds: 25 },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Pending c=ErrImagePull",
      "3 Pending c=ImagePullBackOff",
      "13 Pending c=ErrImagePull",
      "14 Pending c=ImagePullBackOff",
    ],
  },
  {
    what: "a repaired image is pulled at once",
    spec: { containers: [server("c", { image: "web:nonexistent" })] },
    options: {
      untilSeconds: 25,
      changes: {
        5: (pod) => ({ ...pod, spec: { ...pod.spec, containers: [server("c", { image: "web:v2" })] } }),
      },
    },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Pending c=ErrImagePull",
      "3 Pending c=ImagePullBackOff",
      "5 Pending c=ContainerCreating",
      "6 Running ready c=running",
    ],
  },
  {
    what: "a changed image restarts a running container",
    spec: { containers: [server("c")] },
    options: {
      untilSeconds: 60,
      changes: {
        10: (pod) => ({ ...pod, spec: { ...pod.spec, containers: [server("c", { image: "shop/web:v2" })] } }),
      },
    },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "10 Running ready c=running",
      "11 Running c=exit0",
      "13 Running ready c=running*1",
    ],
  },
  {
    what: "a deleted pod ends when its process does",
    spec: { containers: [server("c")] },
    options: { untilSeconds: 60, changes: { 10: deleted(30) } },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "10 Running ready c=running",
      "11 Succeeded c=exit0",
    ],
  },
  {
    what: "a process that ignores the signal is killed after the grace period",
    spec: { containers: [shell("c", "sleep 1d")] },
    options: { untilSeconds: 60, changes: { 10: deleted(30) } },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "10 Running ready c=running",
      "40 Failed c=exit137",
    ],
  },
  {
    what: "preStop delays the signal",
    spec: { containers: [server("c", { lifecycle: { preStop: { sleep: { seconds: 7 } } } })] },
    options: { untilSeconds: 60, changes: { 10: deleted(30) } },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "10 Running ready c=running",
      "18 Succeeded c=exit0",
    ],
  },
  {
    what: "sidecars of a deleted pod stop last, in reverse order",
    spec: { initContainers: [sidecar("s1"), sidecar("s2")], containers: [server("c")] },
    options: { untilSeconds: 60, changes: { 10: deleted(30) } },
    shows: [
      "0 Pending s1=PodInitializing s2=PodInitializing c=PodInitializing",
      "2 Running ready s1=running s2=running c=running",
      "10 Running ready s1=running s2=running c=running",
      "11 Running s1=running s2=running c=exit0",
      "12 Running s1=running s2=exit0 c=exit0",
      "13 Succeeded s1=exit0 s2=exit0 c=exit0",
    ],
  },
  {
    what: "a pod deleted before it started fails, and no container starts any more",
    spec: { containers: [server("c", { image: "web:nonexistent" })] },
    options: { untilSeconds: 60, changes: { 5: deleted(30) } },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Pending c=ErrImagePull",
      "3 Pending c=ImagePullBackOff",
      "5 Failed c=exit137",
    ],
  },
  {
    what: "the deadline ends a pod",
    spec: { activeDeadlineSeconds: 20, containers: [server("c")] },
    options: { untilSeconds: 60 },
    shows: ["0 Pending c=ContainerCreating", "2 Running ready c=running", "21 Failed c=exit0"],
  },
  {
    what: "an ephemeral container runs once and counts for nothing",
    spec: { containers: [server("c")] },
    options: {
      untilSeconds: 60,
      changes: {
        10: (pod) => ({
          ...pod,
          spec: {
            containers: pod.spec?.containers ?? [],
            ephemeralContainers: [{ name: "e", image: "busybox", command: ["sh", "-c", "sleep 3; exit 1"] }],
          },
        }),
      },
    },
    shows: [
      "0 Pending c=ContainerCreating",
      "2 Running ready c=running",
      "10 Running ready c=running e=ContainerCreating",
      "11 Running ready c=running e=running",
      "14 Running ready c=running e=exit1",
    ],
  },
];

describe("the statuses of a pod", () => {
  for (const { what, spec, annotations, options, shows } of rows) {
    test(what, () => {
      const played = play(podOf(spec, annotations), options);
      const lines = summary(played);
      expect(lines.filter((line, i) => line !== lines[i - 1])).toEqual(shows);
    });
  }
});

test("a late step gives the same life as many early ones", () => {
  for (const { spec, annotations } of rows) {
    const early = play(podOf(spec, annotations), { untilSeconds: 100, onlyAtSeconds: [100] });
    const often = play(podOf(spec, annotations), { untilSeconds: 100, onlyAtSeconds: [0.5, 3, 7, 7.5, 20, 100] });
    const times = (all: typeof early) =>
      all.seen.at(-1)?.life.containers.map(({ finished, attempts }) => [finished, attempts]);
    expect(times(often)).toEqual(times(early));
  }
});

test("after ten minutes of running, the backoff is forgotten", () => {
  const pod = podOf({ containers: [server("c")] }, { "kubeloop.dev/run-for": "601s", "kubeloop.dev/exit-code": "1" });
  const { seen } = play(pod, { untilSeconds: 3600 });
  const waits = seen.filter(
    ({ status }) => status.containerStatuses?.[0]?.state?.waiting?.reason === "CrashLoopBackOff",
  );
  expect([waits.length, seen.at(-1)?.status.containerStatuses?.[0]?.restartCount]).toEqual([0, 5]);
});

test("the backoff grows to five minutes and no further", () => {
  const { seen } = play(podOf({ containers: [shell("c", "exit 1")] }), { untilSeconds: 3600 });
  const messages = seen.map(({ status }) => status.containerStatuses?.[0]?.state?.waiting?.message ?? "");
  const delays = messages
    .map((message) => /^back-off (\S+) /.exec(message)?.[1])
    .filter((delay) => delay !== undefined);
  expect([...new Set(delays)]).toEqual(["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]);
  expect(messages.at(-1)).toMatch(/ restarting failed container=c pod=p_ns\(u1\)$/);
});

test("events are a kubelet's", () => {
  const pod = podOf({ containers: [shell("c", "exit 1")] });
  const { events } = play(pod, { untilSeconds: 10, changes: { 8: deleted(30) } });
  expect(events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    'Normal Pulling Pulling image "busybox"',
    'Normal Pulled Successfully pulled image "busybox" in 1s (1s including waiting). Image size: 10000000 bytes.',
    "Normal Created Container created",
    "Normal Started Container started",
    'Normal Pulled Container image "busybox" already present on machine and can be accessed by the pod',
    "Normal Created Container created",
    "Normal Started Container started",
    "Warning BackOff Back-off restarting failed container c in pod p_ns(u1)",
  ]);
});

describe("what a failure says", () => {
  const failing = { "kubeloop.dev/fail-readiness": "true" };
  const probed = (probe: corev1.Probe) => podOf({ containers: [server("c", { readinessProbe: probe })] }, failing);
  for (const [what, pod, reason, message] of [
    [
      "over HTTP",
      probed({ httpGet: { port: 80 } }),
      "Unhealthy",
      "Readiness probe failed: HTTP probe failed with statuscode: 500",
    ],
    [
      "over TCP",
      probed({ tcpSocket: { port: 80 } }),
      "Unhealthy",
      "Readiness probe failed: dial tcp 10.1.0.5:80: connect: connection refused",
    ],
    [
      "over gRPC",
      probed({ grpc: { port: 80 } }),
      "Unhealthy",
      'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
    ],
    ["of a command", probed({ exec: { command: ["false"] } }), "Unhealthy", "Readiness probe failed: "],
    [
      "of an image",
      podOf({ containers: [server("c", { image: "web:nonexistent" })] }),
      "Failed",
      'Failed to pull image "web:nonexistent": rpc error: code = NotFound desc = failed to pull and unpack image ' +
        '"docker.io/library/web:nonexistent": failed to resolve reference "docker.io/library/web:nonexistent": ' +
        "docker.io/library/web:nonexistent: not found",
    ],
  ] as const) {
    test(what, () => {
      const { events } = play(pod, { untilSeconds: 5 });
      expect(events.find((event) => event.reason === reason)?.message).toBe(message);
    });
  }
});
