import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { type PlayOptions, play, podOf, server, shell, startMs } from "./play-pod.fixture.ts";

test("the status of a running pod is a kubelet's", () => {
  const { seen } = play(podOf({ containers: [server("c")] }), { untilSeconds: 60 });
  const condition = (type: string) => ({
    type,
    status: "True",
    observedGeneration: 1,
    lastTransitionTime: type === "Initialized" || type === "PodScheduled" ? at(0) : expect.any(String),
  });
  expect(seen.at(-1)?.status).toEqual({
    observedGeneration: 1,
    phase: "Running",
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
    hostIP: "192.168.0.1",
    hostIPs: [{ ip: "192.168.0.1" }],
    podIP: "10.1.0.5",
    podIPs: [{ ip: "10.1.0.5" }],
    startTime: at(0),
    containerStatuses: [
      {
        name: "c",
        image: "docker.io/shop/web:v1",
        imageID: expect.stringMatching(/^docker\.io\/shop\/web@sha256:[0-9a-f]{64}$/),
        containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
        restartCount: 0,
        ready: true,
        started: true,
        state: { running: { startedAt: at(2) } },
        lastState: {},
        user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
      },
    ],
    qosClass: "BestEffort",
  });
});

describe("conditions", () => {
  const conditionAt = (
    pod: corev1.Pod,
    type: string,
    atSeconds: number,
    options: PlayOptions = { untilSeconds: 60 },
  ) => {
    const found = play(pod, options)
      .seen.filter((played) => played.atSeconds <= atSeconds)
      .at(-1);
    const { status, reason, message } = found?.status.conditions?.find((one) => one.type === type) ?? {};
    return [status, reason, message];
  };
  const plain = podOf({ containers: [server("b"), server("a")] });
  const job = (script: string) => podOf({ restartPolicy: "Never", containers: [shell("c", script)] });
  const init = podOf({ initContainers: [shell("i1", "sleep 5"), shell("i2", "sleep 5")], containers: [server("c")] });
  const gated = podOf({ readinessGates: [{ conditionType: "example.com/up" }], containers: [server("c")] });
  const gate = (status: string) => ({
    ...gated,
    status: { conditions: [{ type: "example.com/up", status }] },
  });
  for (const [what, pod, type, atSeconds, expected] of [
    [
      "unready containers are named in spec order",
      plain,
      "Ready",
      0,
      ["False", "ContainersNotReady", "containers with unready status: [b a]"],
    ],
    ["the sandbox is not there at first", plain, "PodReadyToStartContainers", 0, ["False", undefined, undefined]],
    ["nor is it seen while an image is pulled", plain, "PodReadyToStartContainers", 1, ["False", undefined, undefined]],
    ["the sandbox is there", plain, "PodReadyToStartContainers", 2, ["True", undefined, undefined]],
    [
      "the sandbox is there if the image is not",
      podOf({ containers: [server("c", { image: "web:nonexistent" })] }),
      "PodReadyToStartContainers",
      2,
      ["True", undefined, undefined],
    ],
    ["the sandbox goes with the pod", job("exit 0"), "PodReadyToStartContainers", 9, ["False", undefined, undefined]],
    ["completed", job("exit 0"), "Ready", 9, ["False", "PodCompleted", undefined]],
    ["completed and initialized", job("exit 0"), "Initialized", 9, ["True", "PodCompleted", undefined]],
    ["failed", job("exit 1"), "ContainersReady", 9, ["False", "PodFailed", undefined]],
    [
      "init containers are incomplete",
      init,
      "Initialized",
      3,
      ["False", "ContainersNotInitialized", "containers with incomplete status: [i1 i2]"],
    ],
    [
      "one of them is complete",
      init,
      "Initialized",
      8,
      ["False", "ContainersNotInitialized", "containers with incomplete status: [i2]"],
    ],
    ["all are complete", init, "Initialized", 30, ["True", undefined, undefined]],
    [
      "a gate is missing",
      gated,
      "Ready",
      9,
      [
        "False",
        "ReadinessGatesNotReady",
        'corresponding condition of pod readiness gate "example.com/up" does not exist.',
      ],
    ],
    [
      "a gate is closed",
      gate("False"),
      "Ready",
      9,
      ["False", "ReadinessGatesNotReady", 'the status of pod readiness gate "example.com/up" is not "True", but False'],
    ],
    ["a gate is open", gate("True"), "Ready", 9, ["True", undefined, undefined]],
    ["a gate's condition is kept", gate("True"), "example.com/up", 9, ["True", undefined, undefined]],
  ] as const) {
    test(what, () => expect(conditionAt(pod, type, atSeconds)).toEqual(expected));
  }

  test("the deadline has a reason and a message", () => {
    const { seen } = play(podOf({ activeDeadlineSeconds: 5, containers: [server("c")] }), { untilSeconds: 60 });
    expect(seen.at(-1)?.status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
  });
});

function at(seconds: number): string {
  return `${new Date(startMs + seconds * 1000).toISOString().slice(0, 19)}Z`;
}
