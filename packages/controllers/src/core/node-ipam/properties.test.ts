import type { corev1 } from "@kubeloop/core/api";
import { randomBelow, seededRandom } from "@kubeloop/core/base";
import { type ActionResult, actionsOf } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { findPropertyFaults, newNode, outcomeOf, plainSnapshot, stored, type World } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { parseCidr } from "./cidr.ts";
import { newNodeIpamController } from "./controller.ts";
import { decide, learn, reserve } from "./decide.ts";
import { absorb, NodeNetworks } from "./model.ts";
import { observe } from "./observe.ts";

const range = (text: string, nodeBits: number) => {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(text);
  return { cidr, nodeBits };
};

test("node-ipam is declared, idempotent, bounded and total", () => {
  const worlds: readonly World[] = [
    [[nodes, [stored(newNode("a")), stored(newNode("b", { spec: { podCIDRs: ["10.0.0.0/24"] } }))]]],
    [[nodes, [stored(newNode("a")), stored(newNode("b", { spec: { podCIDRs: ["192.168.0.0/24", "x", "y"] } }))]]],
  ];
  const keys = ["a", "b"].map((key) => ({ queue: "nodes", key }));
  const controller = newNodeIpamController({ ranges: [range("10.0.0.0/22", 24), range("fd00::/62", 64)] });
  expect(findPropertyFaults(controller, worlds, { maxActions: 1, maxPlans: 1, keys })).toEqual([]);
});

/**
 * Nodes come and go while thirty of them are worked on at a time. Requests are refused or lose their answers, some of those after the server has
 * carried them out; the cache is late, and the controller is killed now and then.
 */
function race(seed: string) {
  const random = seededRandom(seed);
  // Fewer networks than nodes: one that is given back is soon given out again.
  const ranges = [range("10.0.0.0/22", 24), range("fd00::/62", 64)];
  /** What the server has stored, and what the cache shows of it. */
  const server = new Map<string, corev1.Node>();
  const cache = new Map<string, corev1.Node>();
  let model = new NodeNetworks(ranges, []);
  let late: (() => void)[] = [];
  let inFlight: { readonly name: string; readonly finish: () => void }[] = [];
  let uids = 0;
  let isCalm = false;
  const faults: string[] = [];

  const tell = (name: string) => {
    late.push(() => {
      const [before, object] = [cache.get(name), server.get(name)];
      if (object === undefined) {
        if (before === undefined) return;
        cache.delete(name);
        absorb(model, { type: "delete", resource: nodes, object: before });
        return;
      }
      cache.set(name, object);
      if (before === undefined) absorb(model, { type: "add", resource: nodes, object, isInitial: false });
      else absorb(model, { type: "update", resource: nodes, before, object });
    });
  };
  const check = () => {
    const owners = new Map<string, string>();
    for (const [name, { spec }] of server) {
      for (const cidr of spec?.podCIDRs ?? []) {
        const other = owners.get(cidr);
        if (other !== undefined) faults.push(`${seed}: ${cidr} is of ${other} and of ${name}`);
        owners.set(cidr, name);
      }
    }
  };
  const work = (name: string) => {
    const its = model;
    const seen = observe(name, { snapshot: plainSnapshot([[nodes, [...cache.values()]]]), model, nowMs: 0 });
    if (seen === undefined) return;
    const plan = decide(seen);
    reserve(its, seen, { plan });
    const [action] = actionsOf(plan);
    const finish = () => {
      let result: ActionResult = { status: "failed", error: new Error("no") };
      if (action?.type === "patch" && (isCalm || random.next() < 0.8)) {
        const stored = server.get(name);
        const isSame = stored?.metadata.uid === seen.node.metadata.uid;
        const { podCIDRs = [] } = stored?.spec ?? {};
        // The server refuses to change networks that a node has.
        if (stored !== undefined && isSame && podCIDRs.length === 0) {
          const body = action.patch.type === "strategic" ? action.patch.body : {};
          server.set(name, { ...stored, ...(body as Partial<corev1.Node>) });
          tell(name);
          check();
          result = { status: "done", value: undefined };
        }
        if (!isCalm && random.next() < 0.2) result = { status: "failed", error: new Error("lost"), isUnknown: true };
      }
      learn(its, seen, { nowMs: 0, answer: () => undefined, outcome: outcomeOf(plan, () => result) });
    };
    inFlight.push({ name, finish });
  };

  for (let step = 0; step < 600; step++) {
    const drawn = random.next();
    const name = `n${randomBelow(random, 40)}`;
    if (drawn < 0.15) {
      if (server.has(name)) server.delete(name);
      else server.set(name, stored(newNode(name, { metadata: { uid: `u${uids++}` } })));
      tell(name);
    } else if (drawn < 0.45 && inFlight.length < 30) {
      if (!inFlight.some((each) => each.name === name)) work(name);
    } else if (drawn < 0.7) {
      const [first] = inFlight.splice(randomBelow(random, Math.max(1, inFlight.length)), 1);
      first?.finish();
    } else if (drawn < 0.995) {
      late.shift()?.();
    } else {
      // What is in flight arrives or not, and nobody learns of it.
      for (const { finish } of inFlight) finish();
      inFlight = [];
      late = [];
      model = new NodeNetworks(ranges, []);
      cache.clear();
      for (const [each, object] of server) {
        cache.set(each, object);
        absorb(model, { type: "add", resource: nodes, object, isInitial: true });
      }
    }
  }
  // When all is quiet, nodes have as many networks as there are: none is lost.
  isCalm = true;
  for (let round = 0; round < 5; round++) {
    for (const { finish } of inFlight.splice(0)) finish();
    for (const show of late.splice(0)) show();
    for (const name of server.keys()) work(name);
  }
  for (const { finish } of inFlight.splice(0)) finish();
  const assigned = [...server.values()].filter(({ spec }) => spec?.podCIDRs !== undefined).length;
  if (assigned !== Math.min(server.size, 4)) faults.push(`${seed}: ${assigned} of ${server.size} nodes have networks`);
  return { faults, assigned };
}

describe("no network is two nodes'", () => {
  test("with thirty nodes at a time, refusals, lost answers, late caches and kills", () => {
    const runs = Array.from({ length: 200 }, (_, seed) => race(`race ${seed}`));
    expect(runs.flatMap(({ faults }) => faults)).toEqual([]);
    // Something happened at all.
    expect(runs.reduce((sum, { assigned }) => sum + assigned, 0)).toBeGreaterThan(500);
  });
});
