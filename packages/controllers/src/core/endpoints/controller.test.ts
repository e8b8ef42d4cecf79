import type { corev1 } from "@kubeloop/core/api";
import { FakeClock } from "@kubeloop/core/base";
import { clientOf } from "@kubeloop/core/client";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import { endpoints, pods, services } from "@kubeloop/core/resources";
import { ControllerDriver } from "@kubeloop/core/runtime";
import { FakeApiServer } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newEndpointsController } from "./controller.ts";
import { endpointsScenarios } from "./scenarios.contract.ts";

describe("the endpoints controller on the embedded server", () => {
  defineRuns(endpointsScenarios, (run) => run(newEndpointsController()));
});

test("its queue has upstream's name and workers", () => {
  expect(newEndpointsController().queues["services"]).toMatchObject({ metricName: "endpoint", workers: 5 });
  expect(newEndpointsController({ workers: 9 }).queues["services"]).toMatchObject({ workers: 9 });
});

test("a key is tried as often as upstream does", () => {
  expect(newEndpointsController().queues["services"]).toMatchObject({ retry: { maxTries: 16 } });
});

test("a change of a pod waits for the batch period", () => {
  const watches = newEndpointsController({ batchMs: 700 }).watchesFor(undefined);
  const waits = watches.filter(({ resource }) => resource === pods).map(({ afterMs }) => afterMs);
  expect(waits).toEqual([700]);
});

test("Endpoints that are left over at the start are deleted, but for those of a leader election and of Services without a selector", async () => {
  const clock = new FakeClock();
  const server = new FakeApiServer({ clock, resources: [endpoints, services, pods] });
  const client = clientOf(server.transport, { clock });
  const named = (name: string, annotations: Readonly<Record<string, string>> = {}): corev1.Endpoints => ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { namespace: "shop", name, annotations },
  });
  server.create(endpoints, named("left-over"));
  server.create(endpoints, named("lock", { "control-plane.alpha.kubernetes.io/leader": "{}" }));
  server.create(endpoints, named("by-hand"));
  server.create(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "shop", name: "by-hand" },
    spec: {},
  });
  const informers = new SharedInformerFactory(client, { clock });
  const driver = new ControllerDriver(newEndpointsController(), { client, informers, clock, recordEvent: () => {} });
  const stop = new AbortController();
  const running = Promise.all([informers.run(stop.signal), driver.run(stop.signal)]);
  await clock.advance(1000);
  const left = ["left-over", "lock", "by-hand"].filter((name) => server.get(endpoints, `shop/${name}`) !== undefined);
  expect(left).toEqual(["lock", "by-hand"]);
  // Those that come later without a Service are somebody else's.
  server.create(endpoints, named("later"));
  await clock.advance(1000);
  expect(server.get(endpoints, "shop/later")).toBeDefined();
  stop.abort();
  await running;
});
