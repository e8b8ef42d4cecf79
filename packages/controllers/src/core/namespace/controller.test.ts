import type { FaultRule } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newNamespaceController } from "./controller.ts";
import { namespaceScenarios } from "./scenarios.contract.ts";

describe("the namespace controller on the embedded server", () => {
  defineRuns(namespaceScenarios, (run) => run(newNamespaceController()));
});

/** A namespace with content goes although this happens. */
const goesWith = (...faults: readonly FaultRule[]) => {
  const scenario = namespaceScenarios.find(({ name }) => name === "a namespace goes with all that is in it");
  if (scenario === undefined) throw new Error("there is no such scenario");
  return runEmbedded(scenario, { controllers: (run) => run(newNamespaceController()), faults });
};

for (const code of [404, 405]) {
  test(`a server that does not delete collections (${code}) is asked to delete one by one`, () =>
    goesWith({ name: "no collections", fault: { kind: "status", code }, match: { verbs: ["deletecollection"] } }));
}

test("a conflict when the namespace is let go is tried again", () =>
  goesWith({
    name: "conflict",
    fault: { kind: "status", code: 409 },
    match: { resources: ["namespaces/finalize"] },
    maxTimes: 3,
  }));

test("a collection that cannot be deleted or listed for a while is tried again", () =>
  goesWith(
    { name: "no deletes", fault: { kind: "status", code: 403 }, match: { verbs: ["deletecollection"] }, maxTimes: 5 },
    {
      name: "no lists",
      fault: { kind: "status", code: 403 },
      match: { verbs: ["list"], resources: ["secrets"] },
      maxTimes: 5,
    },
  ));

test("discovery that fails for a while holds the namespace, and is asked again", () =>
  goesWith({ name: "no discovery", fault: { kind: "status", code: 503 }, match: { path: /^\/apis?$/ }, maxTimes: 5 }));

test("what fails is tried again after 5 ms, later after 60 s at most, and all namespaces are looked at as often as is set", () => {
  const { queues, watchesFor } = newNamespaceController({ resyncMs: 1234 });
  expect(queues["namespaces"]?.retry).toEqual({ baseMs: 5, maxMs: 60_000 });
  expect(watchesFor(undefined).map(({ resyncMs, afterMs }) => [resyncMs, afterMs])).toEqual([[1234, 5000]]);
});
