import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { Answers, newConfigMap, newNamespace, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { configMapName, description, descriptionAnnotation, newDecide } from "./decide.ts";

const rootCa = "the authority";
const described = { [descriptionAnnotation]: description };
const newPublished = (data: corev1.ConfigMap["data"], annotations?: Readonly<Record<string, string>>) =>
  stored(
    newConfigMap(`shop/${configMapName}`, {
      metadata: annotations === undefined ? {} : { annotations },
      ...(data === undefined ? {} : { data }),
    }),
  );

const planned = (published: corev1.ConfigMap | undefined, phase = "Active"): Plan =>
  newDecide(rootCa)(
    { namespace: stored(newNamespace("shop", { status: { phase } })), published },
    { nowMs: 5, answer: (question) => new Answers().answer(question) },
  );

describe("without a ConfigMap", () => {
  test("one is created, with the authority and its description", () => {
    const [action] = actionsOf(planned(undefined));
    expect(action?.type === "create" && action.object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "shop", name: "kube-root-ca.crt", annotations: described },
      data: { "ca.crt": rootCa },
    });
  });

  test("a namespace that is gone or going is no failure; one that somebody else made is looked at again", () => {
    expect(actionsOf(planned(undefined))[0]?.tolerates).toEqual(["NotFound", "NamespaceTerminating"]);
  });

  test("nothing is created in a namespace that is being deleted", () => {
    expect(actionsOf(planned(undefined, "Terminating"))).toEqual([]);
  });
});

const kept = { "ca.crt": rootCa };

describe("with a ConfigMap", () => {
  test.each<[string, corev1.ConfigMap["data"], Readonly<Record<string, string>> | undefined]>([
    ["it is as it should be", kept, described],
    ["another description stays", kept, { [descriptionAnnotation]: "different" }],
    ["other annotations stay", kept, { ...described, team: "shop" }],
  ])("%s: nothing is done", (_fact, data, annotations) => {
    expect(actionsOf(planned(newPublished(data, annotations)))).toEqual([]);
  });

  test.each<[string, corev1.ConfigMap["data"], Readonly<Record<string, string>> | undefined, object]>([
    ["the description is missing", kept, undefined, { metadata: { annotations: described } }],
    ["the description is empty", kept, { [descriptionAnnotation]: "" }, { metadata: { annotations: described } }],
    ["a key was added", { ...kept, test: "test" }, described, { data: { test: null } }],
    ["the authority was changed", { "ca.crt": "abc" }, described, { data: { "ca.crt": rootCa } }],
    ["the authority is missing", { other: "x" }, described, { data: { "ca.crt": rootCa, other: null } }],
    ["there are no data", undefined, described, { data: kept }],
    ["the authority is empty", { "ca.crt": "" }, described, { data: kept }],
    [
      "all is wrong, and another description goes, too",
      { "ca.crt": "abc" },
      { [descriptionAnnotation]: "different" },
      { data: kept, metadata: { annotations: described } },
    ],
  ])("%s: it is put right", (_fact, data, annotations, patch) => {
    const [action, ...others] = actionsOf(planned(newPublished(data, annotations)));
    expect(action && printAction(action)).toBe("edit configmaps shop/kube-root-ca.crt");
    expect(action).toMatchObject({ patch, isLocked: true, tolerates: [] });
    expect(action?.type === "edit" && action.patch).toEqual(patch);
    expect(others).toEqual([]);
  });

  test("it is put right also while the namespace is being deleted: pods are still ending there", () => {
    expect(actionsOf(planned(newPublished({}, described), "Terminating")).map(printAction)).toEqual([
      "edit configmaps shop/kube-root-ca.crt",
    ]);
  });
});

test("when it began is noted", () => expect(planned(undefined).notes).toEqual({ beganMs: 5 }));
