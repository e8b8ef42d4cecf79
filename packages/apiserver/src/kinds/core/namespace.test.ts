// What the facts cannot show: how a namespace goes.
import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import type { Draft } from "../kind-rules.ts";
import { namespaceRules } from "./namespace.ts";

const { deletion } = namespaceRules;
const namespace = (name: string, finalizers?: readonly string[]): corev1.Namespace => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name },
  spec: finalizers === undefined ? {} : { finalizers },
  status: { phase: "Active", conditions: [] },
});

test("it stays until nothing holds it", () => {
  expect(deletion?.isHeld?.(namespace("shop", ["kubernetes"]))).toBe(true);
  expect(deletion?.isHeld?.(namespace("shop", []))).toBe(false);
  expect(deletion?.isHeld?.(namespace("shop"))).toBe(false);
});

test("on its way it is Terminating and has no period of grace", () => {
  const draft = structuredClone(namespace("shop", ["kubernetes"])) as Draft<corev1.Namespace>;
  draft.metadata.deletionTimestamp = "2024-01-01T00:00:00Z";
  draft.metadata.deletionGracePeriodSeconds = 0;
  deletion?.mark?.(draft);
  expect(draft).toEqual({
    ...namespace("shop", ["kubernetes"]),
    metadata: { name: "shop", deletionTimestamp: "2024-01-01T00:00:00Z" },
    status: { phase: "Terminating", conditions: [] },
  });
});

test("only a namespace on its way may be called Terminating", () => {
  const going = {
    ...namespace("shop"),
    metadata: { name: "shop", deletionTimestamp: "2024-01-01T00:00:00Z" },
    status: { phase: "Active" },
  };
  const context = { nowMs: 0, isDryRun: false, user: { name: "u", uid: undefined, groups: [], extra: {} } };
  const faults = namespaceRules.subresources?.["status"]?.validateUpdate?.(going, going, context);
  expect(faults).toMatchObject([
    { field: "status.Phase", detail: "may only be 'Terminating' if `deletionTimestamp` is not empty" },
  ]);
});
