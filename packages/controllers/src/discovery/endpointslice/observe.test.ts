import type { Snapshot } from "@kubeloop/core/contract";
import { endpointSlices, nodes, pods, services } from "@kubeloop/core/resources";
import { newPod, plainSnapshot, stored } from "@kubeloop/core/testing";
import { expect, test } from "vitest";
import { EndpointSliceModel } from "./model.ts";
import { observe, observeZones } from "./observe.ts";
import { newService, podOf, sliceLabels, sliceOf, zonedNode } from "./slices.fixture.ts";

const mine = podOf("p1");
const other = stored(newPod("shop/other", { metadata: { labels: { app: "other" } } }));
const foreign = sliceOf("foreign", { labels: { ...sliceLabels, "endpointslice.kubernetes.io/managed-by": "you" } });
const node = zonedNode("n");
const named = (name: string, spec: object) => newService(spec, { name, uid: name });
const snapshot = plainSnapshot([
  [
    services,
    [
      newService(),
      named("external", { type: "ExternalName" }),
      named("bare", { selector: undefined }),
      named("empty", { selector: {} }),
    ],
  ],
  [pods, [mine, other]],
  [endpointSlices, [sliceOf("b"), sliceOf("a"), foreign]],
  [nodes, [node]],
]);
const model = new EndpointSliceModel(100);
const observed = (key: string) => observe(key, { snapshot, model, nowMs: 0 });

test("it sees the Service, the pods that it selects, its own slices by name, and their nodes", () => {
  const { selecting, isGone } = observed("shop/web");
  expect(isGone).toBe(false);
  expect(selecting?.pods).toEqual([mine]);
  expect(selecting?.slices.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect(selecting?.nodeOf(mine)).toBe(node);
  expect(selecting?.nodeOf(other)).toBeUndefined();
});

test("it reads the pods with the label that the Service selects and its slices, whatever else there is", () => {
  const read: string[] = [];
  const counting: Snapshot = {
    ...snapshot,
    list: (resource, options) => {
      read.push(`list ${resource.plural} in ${options?.namespace}`);
      return snapshot.list(resource, options);
    },
    byIndex: (index, value) => {
      read.push(`${index.resource.plural} of ${value}`);
      return snapshot.byIndex(index, value);
    },
  };
  observe("shop/web", { snapshot: counting, model, nowMs: 0 });
  expect(read).toEqual(["pods of shop app=web", "endpointslices of endpointslice-controller.k8s.io shop/web"]);
});

test.each(["external", "bare", "empty"])("the Service %s is not its business", (name) => {
  expect(observed(`shop/${name}`)).toMatchObject({ selecting: undefined, isGone: false });
});

test("a Service that is gone is gone", () => {
  expect(observed("shop/none")).toEqual({ key: "shop/none", selecting: undefined, isGone: true });
});

test("what is remembered comes with it", () => {
  const times = { serviceMs: 1, podsMs: new Map() };
  model.noteTimes("shop/web", times);
  model.noteHints("shop/web", new Map([["IPv4", new Map([["zone-a", 1]])]]), true);
  expect(observed("shop/web").selecting).toMatchObject({ hasHints: true, times });
  // No shares of zones are known: the hints fit no longer.
  expect(observeZones("zones", { snapshot, model, nowMs: 0 })).toEqual(["shop/web"]);
});
