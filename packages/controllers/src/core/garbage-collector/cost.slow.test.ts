// What one event, and one look at a key, cost: the same in a graph of a thousand and of fifty thousand objects.

import type { KubernetesObject } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { plainSnapshot } from "@kubeloop/core/testing";
import { countWork } from "@kubeloop/counted-work";
import { expect, test } from "vitest";
import { Collector, named, served } from "./collector.fixture.ts";
import { decideItem } from "./decide.ts";
import { observeItem } from "./observe.ts";

const pod = (name: string, owners: readonly KubernetesObject[] = [], more: object = {}) =>
  named("v1", "Pod", `shop/${name}`, { uid: name, owners, ...more });

/** Owners with eight dependents each, and one that owns half of all. */
function newCollector(size: number): Collector {
  const collector = new Collector();
  const large = pod("large");
  collector.show(large);
  const show = (object: KubernetesObject) =>
    collector.graph.absorb({ type: "add", resource: pods, isInitial: true, object });
  for (let i = 0; i < size * 0.55; i++) show(pod(`of-large-${i}`, [large]));
  for (let i = 0; i < size / 20; i++) {
    const owner = pod(`owner-${i}`);
    show(owner);
    for (let j = 0; j < 8; j++) show(pod(`child-${i}-${j}`, [owner]));
  }
  return collector;
}

const large = pod("large");
const owner = pod("owner-7");
const waiting = { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["foregroundDeletion"] };
const change = (type: "add" | "update" | "delete", object: KubernetesObject) =>
  type === "update"
    ? ({ type, resource: pods, object, before: object } as const)
    : type === "add"
      ? ({ type, resource: pods, object, isInitial: false } as const)
      : ({ type, resource: pods, object } as const);

const pieces: Readonly<Record<string, (collector: Collector) => unknown>> = {
  "an object appears": ({ graph }) => graph.absorb(change("add", pod("new"))),
  "a dependent appears, of a small owner": ({ graph }) => graph.absorb(change("add", pod("new-child", [owner]))),
  "a dependent appears, of a large owner": ({ graph }) => graph.absorb(change("add", pod("new-part", [large]))),
  "a dependent appears, of an unknown owner": ({ graph }) => graph.absorb(change("add", pod("stray", [pod("nobody")]))),
  "a large owner changes": ({ graph }) => graph.absorb(change("update", large)),
  "a dependent changes": ({ graph }) => graph.absorb(change("update", pod("child-7-1", [owner]))),
  "a dependent loses its owner": ({ graph }) => graph.absorb(change("update", pod("child-7-2"))),
  "a small owner is deleted": ({ graph }) => graph.absorb(change("delete", owner)),
  "a small owner waits": ({ graph }) => graph.absorb(change("update", pod("owner-8", [], waiting))),
  "a dependent of a large owner is deleted": ({ graph }) => graph.absorb(change("delete", pod("of-large-3", [large]))),
  "a virtual node is absent": ({ graph }) =>
    graph.confirmAbsent({ apiVersion: "v1", kind: "Pod", namespace: "shop", name: "nobody", uid: "nobody" }),
  "a large owner is looked at": ({ graph: model }) => {
    const seen = observeItem("large", { snapshot: plainSnapshot([], { served }), model, nowMs: 0 });
    return seen && decideItem(seen, { nowMs: 0, answer: () => undefined });
  },
  "a large owner is deleted": ({ graph }) => graph.absorb(change("delete", pod("large"))),
};

test("an event costs the same, however large the graph", async () => {
  const small = newCollector(1_000);
  const whole = newCollector(50_000);
  // What is compiled at the first call is not counted.
  const first = newCollector(1_000);
  for (const run of Object.values(pieces)) await countWork(() => run(first));
  for (const [what, run] of Object.entries(pieces)) {
    const part = await countWork(() => run(small));
    const all = await countWork(() => run(whole));
    expect(part.steps, what).toBeGreaterThan(0);
    expect(all.steps, what).toBe(part.steps);
    // Allocations are sampled: a copy of fifty thousand entries would be hundreds of kilobytes.
    expect(all.bytes, what).toBeLessThan(part.bytes + 64 * 1024);
  }
});
