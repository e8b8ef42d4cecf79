import type { corev1 } from "@kubeloop/core/api";
import { persistentVolumeClaims } from "@kubeloop/core/resources";
import { newObject, newPod, type Overrides, ownedBy, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { hasStopped, needsClaim, refersToClaim } from "./use.ts";

const deletionTimestamp = "2030-01-01T00:00:00Z";
const claimed: corev1.Volume = { name: "v", persistentVolumeClaim: { claimName: "web-cache" } };
const ephemeral: corev1.Volume = { name: "cache", ephemeral: {} };
const emptyDir: corev1.Volume = { name: "scratch", emptyDir: {} };

const newUser = (volumes: readonly corev1.Volume[], overrides: Overrides<corev1.Pod> = {}, nodeName = "n1") =>
  stored(newPod("shop/web", { ...overrides, spec: { volumes, ...(nodeName === "" ? {} : { nodeName }) } }));
const inPhase = (phase: string): Overrides<corev1.Pod> => ({ status: { phase } });
const deleted = (deletionGracePeriodSeconds?: number): Overrides<corev1.Pod> => ({
  metadata: {
    deletionTimestamp,
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  },
});
const running = { name: "main", state: { running: {} } } as corev1.ContainerStatus;
const waiting = { name: "main", state: { waiting: {} } } as corev1.ContainerStatus;
const terminated = { name: "main", state: { terminated: { exitCode: 0 } } } as corev1.ContainerStatus;
const unknown = { name: "main" } as corev1.ContainerStatus;

const claim = stored(newObject(persistentVolumeClaims, "shop/web-cache"));
const another = stored(newPod("shop/another"));

describe("a claim by its name", () => {
  test.each<[string, corev1.Pod, { needs: boolean; refers: boolean }]>([
    ["is used by a pod with a node", newUser([claimed]), { needs: true, refers: true }],
    ["is used by a pod that runs", newUser([claimed], inPhase("Running")), { needs: true, refers: true }],
    ["is meant, but not needed, by a pod without a node", newUser([claimed], {}, ""), { needs: false, refers: true }],
    ["is needed by a pod that has failed", newUser([claimed], inPhase("Failed")), { needs: true, refers: false }],
    ["is needed by one that has succeeded", newUser([claimed], inPhase("Succeeded")), { needs: true, refers: false }],
    ["is needed by one that is being deleted", newUser([claimed], deleted(30)), { needs: true, refers: false }],
    ["is needed by one that is shut down", newUser([claimed], deleted(0)), { needs: true, refers: false }],
    [
      "is used by one that is being deleted and runs",
      newUser([claimed], { ...deleted(30), status: { containerStatuses: [running] } }),
      { needs: true, refers: true },
    ],
    ["is used where it is the second volume", newUser([emptyDir, claimed]), { needs: true, refers: true }],
    ["is not used by other volumes", newUser([emptyDir]), { needs: false, refers: false }],
    [
      "is not used by a pod of another claim",
      newUser([{ name: "v", persistentVolumeClaim: { claimName: "other" } }]),
      { needs: false, refers: false },
    ],
    ["is not used by a pod without volumes", newUser([]), { needs: false, refers: false }],
  ])("%s", (_fact, pod, { needs, refers }) => {
    expect({ needs: needsClaim(pod, claim), refers: refersToClaim(pod, claim) }).toEqual({ needs, refers });
  });
});

describe("the claim of an ephemeral volume", () => {
  test.each<[string, corev1.Pod, { needs: boolean; refers: boolean }]>([
    ["is used by its pod", newUser([ephemeral]), { needs: true, refers: true }],
    ["is meant, but not needed, without a node", newUser([ephemeral], {}, ""), { needs: false, refers: true }],
    ["is needed while the pod is being deleted", newUser([ephemeral], deleted(30)), { needs: true, refers: false }],
    ["is needed where nobody says how long", newUser([ephemeral], deleted()), { needs: true, refers: false }],
    ["is let go when the pod is shut down", newUser([ephemeral], deleted(0)), { needs: false, refers: false }],
    ["is needed when the pod has failed", newUser([ephemeral], inPhase("Failed")), { needs: true, refers: false }],
    [
      "is needed by a pod that is shut down and names it, too",
      newUser([ephemeral, claimed], deleted(0)),
      { needs: true, refers: false },
    ],
  ])("%s", (_fact, pod, { needs, refers }) => {
    const own = stored(ownedBy(pod, newObject(persistentVolumeClaims, "shop/web-cache")));
    expect({ needs: needsClaim(pod, own), refers: refersToClaim(pod, own) }).toEqual({ needs, refers });
  });

  test.each([
    ["of that name without an owner is not its own", claim],
    [
      "that another pod controls is not its own",
      stored(ownedBy(another, newObject(persistentVolumeClaims, "shop/web-cache"))),
    ],
  ])("a claim %s", (_fact, foreign) => {
    const pod = newUser([ephemeral]);
    expect([needsClaim(pod, foreign), refersToClaim(pod, foreign)]).toEqual([false, false]);
  });
});

describe("a pod has stopped", () => {
  test.each<[string, Overrides<corev1.Pod>, boolean]>([
    ["when it has failed", inPhase("Failed"), true],
    ["when it has succeeded", inPhase("Succeeded"), true],
    [
      "when it has failed, whatever its containers say",
      { status: { phase: "Failed", containerStatuses: [running] } },
      true,
    ],
    ["not while it is pending", inPhase("Pending"), false],
    ["not because its containers have ended", { status: { phase: "Running", containerStatuses: [terminated] } }, false],
    ["when it is being deleted and says nothing of containers", deleted(30), true],
    [
      "when it is being deleted and no container runs",
      { ...deleted(30), status: { containerStatuses: [terminated, waiting], initContainerStatuses: [terminated] } },
      true,
    ],
    ["not while a container runs", { ...deleted(30), status: { containerStatuses: [terminated, running] } }, false],
    ["not while an init container runs", { ...deleted(30), status: { initContainerStatuses: [running] } }, false],
    [
      "not while an ephemeral container runs",
      { ...deleted(30), status: { ephemeralContainerStatuses: [running] } },
      false,
    ],
    ["not while a container says nothing", { ...deleted(30), status: { containerStatuses: [unknown] } }, false],
  ])("%s", (_fact, overrides, expected) => expect(hasStopped(newUser([], overrides))).toBe(expected));
});
