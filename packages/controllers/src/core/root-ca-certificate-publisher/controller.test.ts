import { configMaps } from "@kubeloop/core/resources";
import { newConfigMap, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newRootCaCertificatePublisher } from "./controller.ts";
import { rootCaCertificatePublisherScenarios } from "./scenarios.contract.ts";

describe("the root CA publisher on the embedded server", () => {
  defineRuns(rootCaCertificatePublisherScenarios, (run) =>
    run(newRootCaCertificatePublisher({ rootCa: "the authority" })),
  );
});

describe("a ConfigMap that is new to the cache", () => {
  test.each([
    ["wakes its namespace, since it may have been changed while no watch was open", false, true],
    ["wakes nobody in the first list: its namespace is in a first list, too", true, false],
  ])("%s", (_, isInitial, expected) => {
    const watches = newRootCaCertificatePublisher({ rootCa: "the authority" }).watchesFor(undefined);
    const watch = watches.find(({ resource }) => resource === configMaps);
    const object = stored(newConfigMap("shop/kube-root-ca.crt"));
    expect(watch?.when?.({ type: "add", resource: configMaps, object, isInitial })).toBe(expected);
  });
});
