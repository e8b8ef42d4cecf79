import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { ConfigSource } from "../script/environment.ts";
import { deleted, play, podOf, server, shell, summary } from "./play-pod.fixture.ts";

const map: corev1.ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { code: "3" } };
const secret: corev1.Secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { k: btoa("v") } };

/** The objects that are there from a second on. */
const from =
  (second: number) =>
  (atSeconds: number): ConfigSource => ({
    configMap: (name) => (name === "m" && atSeconds >= second ? map : undefined),
    secret: (name) => (name === "s" && atSeconds >= second ? secret : undefined),
  });
const env = [{ name: "CODE", valueFrom: { configMapKeyRef: { name: "m", key: "code" } } }];

describe("a container whose ConfigMap is missing", () => {
  const pod = podOf({ restartPolicy: "Never", containers: [shell("c", "exit $CODE", { env })] });

  test("is not created, and tried again every ten seconds", () => {
    const played = play(pod, { untilSeconds: 25, config: from(1000) });
    expect(summary(played)).toEqual(["0 Pending c=ContainerCreating", "2 Pending c=CreateContainerConfigError"]);
    expect(played.seen.at(-1)?.status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: "CreateContainerConfigError", message: 'configmap "m" not found' },
    });
    const tried = [
      'Pulled Container image "busybox" already present on machine and can be accessed by the pod',
      'Failed Error: configmap "m" not found',
    ];
    expect(played.events.map(({ reason, message }) => `${reason} ${message}`).slice(2)).toEqual([
      tried[1],
      ...tried,
      ...tried,
    ]);
  });

  test("starts when it is there, with its value", () => {
    const played = play(pod, { untilSeconds: 25, config: from(5), changes: { 5: (same) => same } });
    expect(summary(played)).toEqual([
      "0 Pending c=ContainerCreating",
      "2 Pending c=CreateContainerConfigError",
      "5 Failed c=exit3",
    ]);
  });

  test("ends with its pod", () => {
    const played = play(pod, { untilSeconds: 25, config: from(1000), changes: { 5: deleted(30) } });
    expect(summary(played).at(-1)).toBe("5 Failed c=exit137");
  });
});

test("a container whose path in a volume cannot be starts when the annotation that it names is there", () => {
  const annotated = [{ name: "SUB", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['sub']" } } }];
  const volumeMounts = [{ name: "v", mountPath: "/v", subPathExpr: "$(SUB)" }];
  const pod = podOf({
    restartPolicy: "Never",
    volumes: [{ name: "v", emptyDir: {} }],
    containers: [shell("c", "exit 0", { env: annotated, volumeMounts })],
  });
  const annotate = (same: corev1.Pod) => ({ ...same, metadata: { ...same.metadata, annotations: { sub: "a" } } });
  const played = play(pod, { untilSeconds: 40, changes: { 15: annotate } });
  expect(summary(played).slice(0, 2)).toEqual([
    "0 Pending c=ContainerCreating",
    "2 Pending c=CreateContainerConfigError",
  ]);
  expect(summary(played).at(-1)).toContain("Succeeded");
});

describe("a volume", () => {
  for (const [what, volume, message] of [
    ["needs its ConfigMap", { configMap: { name: "none" } }, 'configmap "none" not found'],
    ["needs its Secret", { secret: { secretName: "none" } }, 'secret "none" not found'],
    [
      "needs a key of its ConfigMap",
      { configMap: { name: "m", items: [{ key: "x", path: "x" }] } },
      "configmap references non-existent config key: x",
    ],
    [
      "needs a key of its Secret",
      { secret: { secretName: "s", items: [{ key: "x", path: "x" }] } },
      "references non-existent secret key: x",
    ],
    [
      "needs all that is projected",
      { projected: { sources: [{ configMap: { name: "m" } }, { secret: { name: "none" } }] } },
      'secret "none" not found',
    ],
    ["is mounted if all is there", { projected: { sources: [{ configMap: { name: "m" } }] } }, undefined],
    ["needs nothing that is optional", { configMap: { name: "none", optional: true } }, undefined],
    ["of another kind is always there", { emptyDir: {} }, undefined],
  ] as const) {
    test(what, () => {
      const pod = podOf({ containers: [server("c")], volumes: [{ name: "v", ...volume }] } as never);
      const played = play(pod, { untilSeconds: 5, config: from(0) });
      const failures = played.events.filter(({ reason }) => reason === "FailedMount");
      expect(failures[0]?.message).toBe(
        message === undefined ? undefined : `MountVolume.SetUp failed for volume "v" : ${message}`,
      );
      expect(summary(played).at(-1)).toBe(
        message === undefined ? "2 Running ready c=running" : "0 Pending c=ContainerCreating",
      );
    });
  }

  test("that cannot be mounted is tried again, in growing intervals, and goes on when it can", () => {
    const pod = podOf({ containers: [server("c")], volumes: [{ name: "v", configMap: { name: "m" } }] });
    const played = play(pod, { untilSeconds: 300, config: from(200) });
    const failures = played.events.filter(({ reason }) => reason === "FailedMount").map(({ message }) => message);
    const mount = 'MountVolume.SetUp failed for volume "v" : configmap "m" not found';
    const timeout =
      "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[]: context deadline exceeded";
    expect(failures).toEqual([...Array.from({ length: 9 }, () => mount), timeout]);
    expect(summary(played).at(-1)).toMatch(/^\d+\.?\d* Running ready c=running$/);
  });
});
