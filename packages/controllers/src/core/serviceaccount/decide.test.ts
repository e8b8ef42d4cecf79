import { actionsOf, printAction } from "@kubeloop/core/contract";
import { newNamespace, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";

const planned = (phase: string | undefined, missing: readonly string[]) =>
  decide({ namespace: stored(newNamespace("shop", phase === undefined ? {} : { status: { phase } })), missing });

test.each([
  ["an active namespace without accounts gets all", "Active", ["default", "managed"], ["default", "managed"]],
  ["an active namespace gets the one that is missing", "Active", ["default"], ["default"]],
  ["an active namespace with all accounts is left alone", "Active", [], []],
  ["a namespace that is being deleted gets none", "Terminating", ["default"], []],
  ["a namespace that is being deleted and has all is left alone", "Terminating", [], []],
  ["a namespace without phase gets none: nobody said that it is active", undefined, ["default"], []],
  ["a phase that nobody knows is not active", "Sleeping", ["default"], []],
])("%s", (_fact, phase, missing, created) => {
  expect(actionsOf(planned(phase, missing)).map(printAction)).toEqual(
    created.map((name) => `create serviceaccounts shop/${name}`),
  );
});

test("accounts are created side by side: one that fails keeps no other from being tried", () => {
  expect(planned("Active", ["default", "managed"]).steps).toHaveLength(1);
});

test("an account is bare: a name and nothing else", () => {
  const [action] = actionsOf(planned("Active", ["default"]));
  expect(action).toMatchObject({ type: "create" });
  expect(action?.type === "create" && action.object).toEqual({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "shop", name: "default" },
  });
});

test("that it is there already, or that the namespace is being deleted, is no failure", () => {
  const [action] = actionsOf(planned("Active", ["default"]));
  expect(action?.tolerates).toEqual(["AlreadyExists", "NamespaceTerminating"]);
});

test.each([
  ["Active", [], "all accounts are there"],
  ["Active", ["default"], "1 missing"],
  ["Terminating", ["default"], "the namespace is not active"],
])("in a namespace that is %s, missing %j, the reason is %s", (phase, missing, reason) => {
  expect(planned(phase, missing).reason).toBe(reason);
});
