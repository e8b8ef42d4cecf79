import type { corev1 } from "@kubeloop/core/api";
import { actionsOf, type Plan, printAction } from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { newNode, outcomeOf, plainSnapshot, stored } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { NodeMemory, newZone, withRate } from "./model.ts";
import { observeZone } from "./observe.ts";
import { decideZone, learnZone, reportZone, reserveZone, type ZoneNotes } from "./taint-zone.ts";

const node = (name: string, ready?: string, taints: readonly string[] = []) =>
  stored(
    newNode(name, {
      spec: { taints: taints.map((key) => ({ key: `node.kubernetes.io/${key}`, effect: "NoExecute" })) },
      status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
    }),
  );

const waitingModel = (names: readonly string[], rate = 0.1) => {
  const model = new NodeMemory();
  const zone = newZone(rate);
  for (const name of names) zone.waiting.add(name);
  if (rate === 0) zone.limiter = { rate: 0, freeAtMs: Number.POSITIVE_INFINITY };
  model.zones.set("z", zone);
  return model;
};

interface WorkOptions {
  readonly isRefused?: boolean;
  /** What happens while the taint is being written. */
  readonly meanwhile?: () => void;
}

function work(
  model: NodeMemory,
  all: readonly corev1.Node[],
  nowMs: number,
  { isRefused = false, meanwhile = () => {} }: WorkOptions = {},
) {
  const context = { nowMs, answer: () => undefined };
  const seen = observeZone("z", { snapshot: plainSnapshot([[nodes, all]]), model, nowMs });
  if (seen === undefined) return undefined;
  const decided = decideZone(seen, context) as Plan<ZoneNotes>;
  reserveZone(model, seen, { plan: decided, nowMs });
  const outcome = isRefused
    ? outcomeOf(decided, () => ({ status: "failed", error: new Error("no") }))
    : outcomeOf(decided);
  meanwhile();
  learnZone(model, seen, { ...context, outcome });
  const evictions = reportZone(seen, outcome)?.measures?.length ?? 0;
  const { requeueAfterMs } = decided;
  return { actions: actionsOf(decided).map(printAction), requeueAfterMs, evictions };
}
const left = (model: NodeMemory) => [...(model.zones.get("z")?.waiting ?? [])];

describe("in a zone", () => {
  test("without anybody who waits there is nothing to do", () => {
    expect(work(waitingModel([]), [], 0)).toBeUndefined();
    expect(work(new NodeMemory(), [], 0)).toBeUndefined();
  });

  test("nodes are tainted one after the other, at the rate, the longest waiting first", () => {
    const model = waitingModel(["b", "a"]);
    const all = [node("a", "False"), node("b", "Unknown")];
    expect(work(model, all, 1000)).toEqual({ actions: ["edit nodes b"], requeueAfterMs: 10_000, evictions: 1 });
    expect(work(model, all, 2000)).toEqual({ actions: [], requeueAfterMs: 9000, evictions: 0 });
    expect(work(model, all, 11_000)).toEqual({ actions: ["edit nodes a"], requeueAfterMs: undefined, evictions: 1 });
    expect(left(model)).toEqual([]);
  });

  test("that is stopped nobody is tainted, and everybody waits", () => {
    const model = waitingModel(["a"], 0);
    expect(work(model, [node("a", "False")], 1000)).toEqual({ actions: [], requeueAfterMs: undefined, evictions: 0 });
    expect(left(model)).toEqual(["a"]);
  });

  test.each<[string, readonly corev1.Node[]]>([
    ["is gone", []],
    ["is ready", [node("a", "True")]],
    ["has no Ready condition", [node("a")]],
    ["has the taint", [node("a", "False", ["not-ready"])]],
  ])("a node that %s waits no longer, and takes nobody's turn", (_fact, all) => {
    const model = waitingModel(["a", "b"]);
    expect(work(model, [...all, node("b", "False")], 1000)?.actions).toEqual(["edit nodes b"]);
    expect(left(model)).toEqual([]);
  });

  test("only those that wait no longer: nothing is written", () => {
    const model = waitingModel(["a"]);
    expect(work(model, [], 1000)).toEqual({ actions: [], requeueAfterMs: undefined, evictions: 0 });
    expect(left(model)).toEqual([]);
    expect(model.zones.get("z")?.limiter).toEqual(newZone(0.1).limiter);
  });

  test("a node that could not be tainted waits again, and the turn is not lost", () => {
    const model = waitingModel(["a"]);
    expect(work(model, [node("a", "False")], 1000, { isRefused: true })?.evictions).toBe(0);
    expect(left(model)).toEqual(["a"]);
    expect(work(model, [node("a", "False")], 1001)?.actions).toEqual(["edit nodes a"]);
  });

  test("that was stopped while a node could not be tainted stays stopped", () => {
    const model = waitingModel(["a"]);
    const stop = () => {
      const zone = model.zones.get("z");
      if (zone !== undefined) zone.limiter = withRate(zone.limiter, 0, 1000);
    };
    work(model, [node("a", "False")], 1000, { isRefused: true, meanwhile: stop });
    expect(left(model)).toEqual(["a"]);
    expect(work(model, [node("a", "False")], 99_000)?.actions).toEqual([]);
  });

  test("the taint is that of the condition, and says when it was added", () => {
    const seen = observeZone("z", {
      snapshot: plainSnapshot([[nodes, [node("a", "Unknown", ["not-ready"])]]]),
      model: waitingModel(["a"]),
      nowMs: 0,
    });
    const [action] = seen === undefined ? [] : actionsOf(decideZone(seen, { nowMs: 0, answer: () => undefined }));
    expect(action).toMatchObject({
      isLocked: true,
      patch: {
        spec: {
          taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute", timeAdded: "1970-01-01T00:00:00Z" }],
        },
      },
    });
  });
});
