import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { describePod } from "./pod.ts";

const nowMs = Date.parse("2026-01-02T03:05:00Z");
const pod = (spec: object, status: object = {}, metadata: object = {}): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec: { containers: [{ name: "a", image: "i" }], ...spec },
  status,
});

/** The lines that begin with these words, single spaces between cells. */
function lines(of: corev1.Pod, ...beginnings: readonly string[]): readonly string[] {
  return describePod(of, undefined, nowMs)
    .split("\n")
    .map((line) => line.trim().replaceAll(/ {2,}/g, " "))
    .filter((line) => beginnings.some((beginning) => line.startsWith(beginning)));
}

test("a pod with little in it", () => {
  expect(describePod(pod({}, { phase: "Pending" }), [], nowMs)).toBe(`Name:         web
Namespace:    shop
Node:         <none>
Labels:       <none>
Annotations:  <none>
Status:       Pending
IP:           
IPs:          <none>
Containers:
  a:
    Image:        i
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:       <none>
Volumes:          <none>
QoS Class:        BestEffort
Node-Selectors:   <none>
Tolerations:      <none>
Events:           <none>
`);
});

const leaving = { deletionTimestamp: "2026-01-02T03:04:00Z", deletionGracePeriodSeconds: 30 };
const state = (rest: object) => ({ containerStatuses: [{ name: "a", ready: false, restartCount: 1, ...rest }] });
const started = { startedAt: null, finishedAt: "2026-01-02T03:04:05Z" };
const toleration = (...tolerations: readonly object[]) => pod({ tolerations });
const env = (...list: readonly object[]) =>
  pod({ containers: [{ name: "a", image: "i", env: list, resources: { requests: { cpu: "1500m" } } }] });

describe("of a pod", () => {
  for (const [what, of, beginnings, wanted] of [
    [
      "that leaves it is said for how long",
      pod({}, { phase: "Running" }, leaving),
      ["Status", "Termination"],
      ["Status: Terminating (lasts 60s)", "Termination Grace Period: 30s"],
    ],
    ["that has ended it is not", pod({}, { phase: "Failed" }, leaving), ["Status", "Termination"], ["Status: Failed"]],
    [
      "the last state is shown if it was an end",
      pod({}, state({ state: {}, lastState: { terminated: { exitCode: 1, signal: 9, ...started } } })),
      ["State", "Last State", "Exit", "Signal", "Reason", "Ready:", "Restart"],
      ["State: Waiting", "Last State: Terminated", "Exit Code: 1", "Signal: 9", "Ready: False", "Restart Count: 1"],
    ],
    [
      "and the last state is not if it was none",
      pod({}, state({ state: { waiting: { reason: "R" } }, lastState: { waiting: {} } })),
      ["State", "Last State", "Reason"],
      ["State: Waiting", "Reason: R"],
    ],
    [
      "tolerations are in the order of their keys",
      toleration({ key: "b", value: "c", effect: "NoSchedule" }, { operator: "Exists" }),
      ["Tolerations", "b="],
      ["Tolerations: op=Exists", "b=c:NoSchedule"],
    ],
    [
      "a toleration says for how long",
      toleration({ key: "a", operator: "Exists", tolerationSeconds: 5 }),
      ["Tolerations"],
      ["Tolerations: a op=Exists for 5s"],
    ],
    [
      "only name and namespace are followed",
      env(
        { name: "N", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
        { name: "U", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.uid" } } },
      ),
      ["N:", "U:"],
      ["N: web (v1:metadata.name)", "U: (v1:metadata.uid)"],
    ],
    [
      "resources are in units of the divisor, rounded up",
      env(
        { name: "C", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
        { name: "D", valueFrom: { resourceFieldRef: { resource: "requests.cpu", divisor: "1m" } } },
        { name: "L", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        { name: "S", valueFrom: { resourceFieldRef: { resource: "limits.ephemeral-storage" } } },
      ),
      ["C:", "D:", "L:", "S:"],
      [
        "C: 2 (requests.cpu)",
        "D: 1500 (requests.cpu)",
        "L: node allocatable (limits.cpu)",
        "S: 0 (limits.ephemeral-storage)",
      ],
    ],
  ] as const) {
    test(what, () => expect(lines(of, ...beginnings)).toEqual(wanted));
  }
});
