import type { corev1 } from "@kubeloop/core/api";
import { nodes } from "@kubeloop/core/resources";
import { newNode, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { parseCidr, printCidr } from "./cidr.ts";
import { absorb, NodeNetworks } from "./model.ts";

const parse = (text: string) => {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`${text} is no network`);
  return cidr;
};
const newModel = (cluster = "10.0.0.0/22", services: readonly string[] = []) =>
  new NodeNetworks(
    cluster.split(",").map((text) => ({ cidr: parse(text), nodeBits: text.includes(":") ? 64 : 24 })),
    services.map(parse),
  );
const node = (name: string, podCIDRs: readonly string[] = [], uid = name): corev1.Node =>
  stored(newNode(name, { metadata: { uid }, spec: podCIDRs.length === 0 ? {} : { podCIDRs: [...podCIDRs] } }));
/** What the node is given, if anything is left. */
function give(model: NodeNetworks, it: corev1.Node): readonly string[] | undefined {
  const networks = model.findFor(it);
  if (networks === undefined) return undefined;
  model.give(it, networks);
  return networks.map(({ index }, i) => {
    const set = model.sets[i];
    return set === undefined ? "" : printCidr(set.at(index));
  });
}
const add = (model: NodeNetworks, object: corev1.Node) =>
  absorb(model, { type: "add", resource: nodes, object, isInitial: false });
const counts = ({ sets }: NodeNetworks) => sets.map(({ count }) => count);

describe("what is taken", () => {
  test.each<[string, string, readonly string[], readonly number[]]>([
    ["nothing at first", "10.0.0.0/22", [], [0]],
    ["networks of Services", "10.0.0.0/22", ["10.0.1.0/24"], [1]],
    ["networks of Services that are larger", "10.0.0.0/22", ["10.0.0.0/8"], [4]],
    ["not networks of Services elsewhere", "10.0.0.0/22", ["10.96.0.0/12"], [0]],
    ["of each family its own", "10.0.0.0/22,fd00::/62", ["10.0.1.0/24", "fd00::/63"], [1, 2]],
  ])("%s", (_fact, cluster, services, expected) => expect(counts(newModel(cluster, services))).toEqual(expected));

  test("what nodes have when it starts", () => {
    const model = newModel();
    add(model, node("a", ["10.0.0.0/24"]));
    add(model, node("b", ["10.0.2.0/24"]));
    expect([give(model, node("c")), give(model, node("d")), give(model, node("e"))]).toEqual([
      ["10.0.1.0/24"],
      ["10.0.3.0/24"],
      undefined,
    ]);
  });

  test("not what is none of the cluster's, no network, or one too many", () => {
    const model = newModel();
    for (const [i, cidrs] of [
      ["192.168.0.0/24"],
      ["fd00::/64"],
      ["nonsense"],
      ["10.0.0.0/24", "10.0.1.0/24"],
    ].entries()) {
      add(model, node(`n${i}`, cidrs));
    }
    expect(counts(model)).toEqual([1]);
  });
});

describe("a node", () => {
  test("gets one of each family, or none", () => {
    const model = newModel("10.0.0.0/23,fd00::/64");
    expect(give(model, node("a"))).toEqual(["10.0.0.0/24", "fd00::/64"]);
    expect([give(model, node("b")), counts(model)]).toEqual([undefined, [1, 1]]);
  });

  test("that asks again while nobody knows gets the same", () => {
    const model = newModel();
    const a = node("a");
    expect([give(model, a), give(model, node("b")), give(model, a)]).toEqual([
      ["10.0.0.0/24"],
      ["10.0.1.0/24"],
      ["10.0.0.0/24"],
    ]);
    expect(counts(model)).toEqual([2]);
  });

  test("that was refused gives it back", () => {
    const model = newModel();
    give(model, node("a"));
    model.refuse("a");
    model.refuse("a");
    expect(counts(model)).toEqual([0]);
  });

  test("of which nobody knows keeps it, also if it is refused later, until it is seen or gone", () => {
    const model = newModel();
    for (const name of ["a", "b"]) {
      give(model, node(name));
      model.keep(name);
      model.refuse(name);
    }
    expect(counts(model)).toEqual([2]);
    add(model, node("a", ["10.0.0.0/24"]));
    absorb(model, { type: "delete", resource: nodes, object: node("b") });
    expect(counts(model)).toEqual([1]);
  });

  test("that has what it was given keeps it", () => {
    const model = newModel();
    give(model, node("a"));
    add(model, node("a", ["10.0.0.0/24"]));
    model.takeBack("a");
    expect(counts(model)).toEqual([1]);
  });

  test("that has something else gives back what it was given", () => {
    const model = newModel();
    give(model, node("a"));
    add(model, node("a", ["10.0.3.0/24"]));
    expect(counts(model)).toEqual([1]);
    expect([give(model, node("b")), give(model, node("c"))]).toEqual([["10.0.1.0/24"], ["10.0.2.0/24"]]);
  });

  test("that is gone gives back what it has, and what it was given", () => {
    const model = newModel();
    add(model, node("a", ["10.0.0.0/24"]));
    give(model, node("b"));
    absorb(model, { type: "delete", resource: nodes, object: node("a", ["10.0.0.0/24"]) });
    absorb(model, { type: "delete", resource: nodes, object: node("b") });
    expect(counts(model)).toEqual([0]);
  });

  test("that is gone has not failed any more", () => {
    const model = newModel();
    model.noteFailure("a");
    expect(model.failuresOf("a")).toBe(1);
    absorb(model, { type: "delete", resource: nodes, object: node("a") });
    expect(model.failuresOf("a")).toBe(0);
  });

  test("that was made anew under its name is another one", () => {
    const model = newModel();
    add(model, node("a", ["10.0.0.0/24"], "first"));
    absorb(model, {
      type: "update",
      resource: nodes,
      before: node("a", ["10.0.0.0/24"], "first"),
      object: node("a", [], "second"),
    });
    expect(counts(model)).toEqual([0]);
    give(model, node("a", [], "second"));
    expect(give(model, node("a", [], "third"))).toEqual(["10.0.1.0/24"]);
    expect(counts(model)).toEqual([1]);
  });

  test("that changes otherwise changes nothing", () => {
    const model = newModel();
    const before = node("a", ["10.0.0.0/24"]);
    add(model, before);
    expect(absorb(model, { type: "update", resource: nodes, before, object: node("a", ["10.0.0.0/24"]) })).toEqual([]);
    expect(counts(model)).toEqual([1]);
  });
});

describe("a network that several hold is free when the last lets it go:", () => {
  const gone = (model: NodeNetworks, object: corev1.Node) => absorb(model, { type: "delete", resource: nodes, object });
  test("Services and a node that was assigned a part of theirs", () => {
    const model = newModel("10.0.0.0/23", ["10.0.0.0/24"]);
    const a = node("a", ["10.0.0.0/24"]);
    add(model, a);
    gone(model, a);
    expect([give(model, node("b")), give(model, node("c"))]).toEqual([["10.0.1.0/24"], undefined]);
  });
  test("nodes from the time when networks were smaller", () => {
    const model = newModel("10.0.0.0/24");
    const [a, b] = [node("a", ["10.0.0.0/25"]), node("b", ["10.0.0.128/25"])];
    for (const each of [a, b, b]) add(model, each);
    gone(model, a);
    gone(model, a);
    expect(give(model, node("c"))).toBeUndefined();
    gone(model, b);
    expect(give(model, node("c"))).toEqual(["10.0.0.0/24"]);
  });
  test("a node that was refused it because somebody else has assigned it to another", () => {
    const model = newModel("10.0.0.0/24");
    give(model, node("a"));
    add(model, node("b", ["10.0.0.0/24"]));
    model.refuse("a");
    expect(give(model, node("c"))).toBeUndefined();
  });
});

test("who waits is told when something is given back", () => {
  const model = newModel("10.0.0.0/24");
  add(model, node("a", ["10.0.0.0/24"]));
  model.waiting.add("b");
  expect(add(model, node("c"))).toEqual([]);
  expect(absorb(model, { type: "delete", resource: nodes, object: node("a", ["10.0.0.0/24"]) })).toEqual(["b"]);
  expect(absorb(model, { type: "delete", resource: nodes, object: node("b") })).toEqual([]);
  expect(model.waiting.size).toBe(0);
});
