import { create, plan } from "@kubeloop/core/contract";
import { endpoints, pods, services } from "@kubeloop/core/resources";
import { newPod, outcomeOf, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { newService, podOf } from "../../discovery/endpointslice/slices.fixture.ts";
import type { DecidedEndpoints } from "./decide.ts";
import { learn, SeenTimes } from "./model.ts";
import { observe } from "./observe.ts";

const mine = podOf("p1");
const other = stored(newPod("shop/other", { metadata: { labels: { app: "other" } } }));
const current = stored({ apiVersion: "v1", kind: "Endpoints", metadata: { namespace: "shop", name: "web" } } as const);
const snapshot = plainSnapshot([
  [services, [newService()]],
  [pods, [mine, other]],
  [endpoints, [current]],
]);
const model = new SeenTimes();
const observed = (key: string) => observe(key, { snapshot, model, nowMs: 0 });

test("it sees the Service, the pods that it selects, and its Endpoints", () => {
  expect(observed("shop/web")).toEqual({
    key: "shop/web",
    service: newService(),
    pods: [mine],
    current,
    times: undefined,
  });
});

test("of a Service that is gone, it sees what is left", () => {
  expect(observed("shop/gone")).toMatchObject({ service: undefined, pods: [], current: undefined });
});

test("times are remembered until a failure, and forgotten with the Service", () => {
  const notes = { times: { serviceMs: 7, podsMs: new Map() } };
  const learned = (service: boolean) => {
    const outcome = outcomeOf(plan<DecidedEndpoints>("", [], { notes }));
    const seen = { ...observed("shop/web"), service: service ? newService() : undefined };
    learn(model, seen, { outcome, nowMs: 0, answer: () => undefined });
    return observed("shop/web").times;
  };
  expect(learned(true)).toEqual(notes.times);
  expect(learned(false)).toBeUndefined();
});

test("the times of a try that failed are not remembered: the next one is for the same change", () => {
  const times = { serviceMs: 7, podsMs: new Map() };
  const tried = plan<DecidedEndpoints>("", [[create(endpoints, current)]], { notes: { times } });
  const outcome = outcomeOf(tried, () => ({ status: "failed", error: new Error("no") }));
  const fresh = new SeenTimes();
  learn(fresh, observed("shop/web"), { outcome, nowMs: 0, answer: () => undefined });
  expect(fresh.get("shop/web")).toBeUndefined();
});
