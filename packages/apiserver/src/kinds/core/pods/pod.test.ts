// What no recorded fact shows: how long a pod may take to go, what it can be found by, and what is made of its annotations.
import type { corev1 } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import type { Draft } from "../../kind-rules.ts";
import { podRules } from "../pod.ts";

type Pod = Draft<corev1.Pod>;

function pod(spec: Partial<corev1.PodSpec> = {}, status: corev1.PodStatus = { phase: "Running" }): Pod {
  const whole = { containers: [{ name: "c", image: "i" }], terminationGracePeriodSeconds: 30, ...spec };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: whole, status } as Pod;
}

const context = {
  nowMs: Date.UTC(2025, 0, 1),
  user: { name: "u", uid: undefined, groups: [], extra: {} },
  isDryRun: false,
};

describe("a pod is given", () => {
  for (const [name, object, asked, expected] of [
    ["its own grace period", pod({ nodeName: "n" }), undefined, 30],
    ["the time that was asked for", pod({ nodeName: "n" }), 5, 5],
    ["no time when none was asked for", pod({ nodeName: "n" }), 0, 0],
    ["a second where less than none was asked for", pod({ nodeName: "n" }), -5, 1],
    ["no time when it has no node", pod(), 60, 0],
    ["no time when it has ended well", pod({ nodeName: "n" }, { phase: "Succeeded" }), 60, 0],
    ["no time when it has failed", pod({ nodeName: "n" }, { phase: "Failed" }), undefined, 0],
  ] as const) {
    test(name, () => expect(podRules.deletion?.gracePeriod?.(object, asked)).toBe(expected));
  }
});

test("a pod can be found by where and how it runs", () => {
  const object = pod(
    { nodeName: "n", restartPolicy: "Never", schedulerName: "s", serviceAccountName: "a", hostNetwork: true },
    { phase: "Running", podIPs: [{ ip: "10.0.0.1" }, { ip: "fe80::1" }], nominatedNodeName: "m" },
  );
  expect(podRules.selectableFields?.valuesOf(object)).toEqual({
    "spec.nodeName": "n",
    "spec.restartPolicy": "Never",
    "spec.schedulerName": "s",
    "spec.serviceAccountName": "a",
    "spec.hostNetwork": "true",
    "status.phase": "Running",
    "status.podIP": "10.0.0.1",
    "status.podIPs": "",
    "status.nominatedNodeName": "m",
  });
});

describe("an annotation for AppArmor", () => {
  const prefix = "container.apparmor.security.beta.kubernetes.io/";
  const prepared = (annotation: string, securityContext?: corev1.PodSecurityContext) => {
    const draft = pod(securityContext === undefined ? {} : { securityContext });
    draft.metadata.annotations = { [`${prefix}c`]: annotation };
    podRules.prepareCreate?.(draft, context);
    return draft.spec.containers[0]?.securityContext;
  };
  for (const [name, annotation, ofPod, expected] of [
    ["becomes a field", "localhost/p", undefined, { type: "Localhost", localhostProfile: "p" }],
    ["of the runtime becomes a field", "runtime/default", undefined, { type: "RuntimeDefault" }],
    ["that says what the pod says adds nothing", "unconfined", { type: "Unconfined" }, undefined],
    ["that cannot be understood adds nothing", "odd", undefined, undefined],
    ["that names no profile adds nothing", "localhost/", undefined, undefined],
    ["with spaces adds nothing", "localhost/ p", undefined, undefined],
  ] as const) {
    test(name, () => {
      const context = prepared(annotation, ofPod === undefined ? undefined : { appArmorProfile: ofPod });
      expect(context?.appArmorProfile).toEqual(expected);
    });
  }
});

test("a pod without containers is still a pod to be refused, not a failure", () => {
  const draft = pod({ containers: null as unknown as readonly corev1.Container[] });
  podRules.defaults?.(draft);
  podRules.prepareCreate?.(draft, context);
  expect(draft.status).toMatchObject({ phase: "Pending", qosClass: "BestEffort" });
  expect(podRules.validate?.(draft, context)).toMatchObject([{ type: "FieldValueRequired", field: "spec.containers" }]);
});

test("defaults are the same the second time", () => {
  const draft = pod({
    hostNetwork: true,
    containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "100u" } } }],
    resources: { limits: { cpu: "1" } },
  });
  podRules.defaults?.(draft);
  const once = structuredClone(draft);
  podRules.defaults?.(draft);
  expect(draft).toEqual(once);
});

for (const [phase, expected] of [
  ["Running", []],
  ["Succeeded", ["Completed: The pod has completed successfully."]],
  ["Failed", ["Completed: The pod failed."]],
] as const) {
  test(`the row of a pod that is ${phase} is marked with ${expected.length} conditions`, () => {
    const conditions = podRules.rowConditions?.(pod({}, { phase })) as readonly { type: string; message: string }[];
    expect(conditions.map(({ type, message }) => `${type}: ${message}`)).toEqual(expected);
  });
}
