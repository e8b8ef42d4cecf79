import { type ActionResult, actionsOf, printAction } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { newNode, outcomeOf, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { parseCidr } from "./cidr.ts";
import { decide, learn, report, reserve } from "./decide.ts";
import { collect } from "./metrics.ts";
import { NodeNetworks } from "./model.ts";
import { observe } from "./observe.ts";

const range = (text: string, nodeBits: number) => {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(text);
  return { cidr, nodeBits };
};
const node = (name: string, overrides: object = {}) => stored(newNode(name, overrides));
const context = { nowMs: 0, answer: () => undefined };
const refused: ActionResult = { status: "failed", error: new Error("no") };
const lost: ActionResult = { status: "failed", error: new Error("timeout"), isUnknown: true };

function work(model: NodeNetworks, it = node("n"), result?: ActionResult) {
  const seen = observe(it.metadata.name ?? "", { snapshot: plainSnapshot([[nodes, [it]]]), model, nowMs: 0 });
  if (seen === undefined) return undefined;
  const plan = decide(seen);
  reserve(model, seen, { plan });
  const outcome = result === undefined ? outcomeOf(plan) : outcomeOf(plan, () => result);
  const wakes = learn(model, seen, { ...context, outcome });
  const told = report(seen, outcome);
  return {
    plan,
    wakes,
    actions: [...actionsOf(plan), ...(told === undefined ? [] : actionsOf(told))].map(printAction),
  };
}
const counts = ({ sets }: NodeNetworks) => sets.map(({ count }) => count);

describe("a node", () => {
  test("without networks gets one of each family, if it is still that node", () => {
    const { plan } = work(new NodeNetworks([range("10.0.0.0/16", 24), range("fd00::/48", 64)], [])) ?? {};
    expect(plan && actionsOf(plan)).toMatchObject([
      {
        type: "patch",
        key: "n",
        patch: {
          type: "strategic",
          body: { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24", "fd00::/64"] } },
        },
        preconditions: { uid: node("n").metadata.uid },
      },
    ]);
  });

  test.each<[string, object]>([
    ["that has one is left alone", { spec: { podCIDRs: ["10.0.9.0/24"] } }],
    ["that has a foreign one is left alone", { spec: { podCIDRs: ["192.168.0.0/24"] } }],
  ])("%s", (_fact, overrides) => {
    expect(work(new NodeNetworks([range("10.0.0.0/16", 24)], []), node("n", overrides))).toBeUndefined();
  });

  test("that is being deleted gets none", () => {
    const model = new NodeNetworks([range("10.0.0.0/16", 24)], []);
    expect(work(model, node("n", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }))?.actions).toEqual([]);
    expect(counts(model)).toEqual([0]);
  });

  test("for which nothing is left is told so, and tried again", () => {
    const model = new NodeNetworks([range("10.0.0.0/24", 24), range("fd00::/48", 64)], []);
    work(model, node("first"));
    const { actions, plan } = work(model) ?? {};
    expect(actions).toEqual(["event Normal CIDRNotAvailable on Node n"]);
    expect(plan?.unfinished?.message).toBe("there are no remaining CIDRs left to allocate in the accepted range");
    // Nothing of the other family is lost.
    expect([counts(model), [...model.waiting]]).toEqual([[1, 1], ["n"]]);
  });

  test("that gets one waits no longer", () => {
    const model = new NodeNetworks([range("10.0.0.0/24", 24)], []);
    model.waiting.add("n");
    work(model);
    expect(model.waiting.size).toBe(0);
  });

  test("that is gone is nothing to look at", () => {
    const model = new NodeNetworks([range("10.0.0.0/24", 24)], []);
    expect(observe("n", { snapshot: plainSnapshot([[nodes, []]]), model, nowMs: 0 })).toBeUndefined();
  });
});

describe("a network that could not be written", () => {
  test("is free again if it was refused, and whoever waits is told", () => {
    const model = new NodeNetworks([range("10.0.0.0/24", 24)], []);
    model.waiting.add("other");
    expect(work(model, node("n"), refused)?.wakes).toEqual(["other"]);
    expect(counts(model)).toEqual([0]);
  });

  test("is the node's if nobody knows, who gets the same again", () => {
    const model = new NodeNetworks([range("10.0.0.0/16", 24)], []);
    expect(work(model, node("n"), lost)?.plan.reason).toBe("give it 10.0.0.0/24");
    expect(counts(model)).toEqual([1]);
    expect(work(model, node("other"))?.plan.reason).toBe("give it 10.0.1.0/24");
    expect(work(model)?.plan.reason).toBe("give it 10.0.0.0/24");
    expect(counts(model)).toEqual([2]);
  });

  test("is told with every third failure in a row", () => {
    const model = new NodeNetworks([range("10.0.0.0/16", 24)], []);
    const isTold = (result?: ActionResult) =>
      work(model, node("n"), result)?.actions.includes("event Normal CIDRAssignmentFailed on Node n");
    expect([refused, refused, refused, refused].map(isTold)).toEqual([false, false, true, false]);
    expect([undefined, refused, lost, refused].map(isTold)).toEqual([false, false, false, true]);
  });
});

test("metrics say how much of each network is taken", () => {
  const model = new NodeNetworks([range("10.0.0.0/22", 24), range("fd00::/62", 64)], []);
  work(model);
  work(model, node("m"), refused);
  const measured = collect({ model }).map(
    ({ metric, value, labels }) =>
      `${metric.definition.name.replace("node_ipam_controller_", "")} ${labels["clusterCIDR"]} ${value}`,
  );
  expect(measured).toEqual(
    ["10.0.0.0/22", "fd00::/62"].flatMap((cidr) => [
      `cidrset_cidrs_allocations_total ${cidr} 2`,
      `cidrset_cidrs_releases_total ${cidr} 1`,
      `cirdset_max_cidrs ${cidr} 4`,
      `cidrset_usage_cidrs ${cidr} 0.25`,
      `cidrset_allocation_tries_per_request ${cidr} 0`,
      `cidrset_allocation_tries_per_request ${cidr} 0`,
    ]),
  );
  expect(collect({ model }).map(({ value }) => value)).toEqual([0, 0, 4, 0.25, 0, 0, 4, 0.25]);
});
