// Which of several feasible nodes is best: each plugin scores every node, the scores are brought to 0…100, weighted and added. Among the best, the
// choice is upstream's: the root of a heap that is built in the order in which the nodes were found.
import type { NodeInfo } from "../snapshot/node-info.ts";
import { type CycleObserver, type Meter, measuredScorer, noMeter } from "./cycle-observer.ts";
import type { Cycle, NodeScorer, Plugin } from "./plugin.ts";

export interface Scoring {
  readonly plugin: Plugin;
  readonly weight: number;
}

/** Returns the total of each node, in the order of the nodes. */
export function scoreNodes(
  plugins: readonly Scoring[],
  cycle: Cycle,
  nodes: readonly NodeInfo[],
  observer?: CycleObserver,
): readonly number[] {
  const scorers = measured(observer?.point("PreScore"), () => preScore(plugins, cycle, nodes, observer));
  return measured(observer?.point("Score"), () => {
    const totals = new Array<number>(nodes.length).fill(0);
    const scores = new Array<number>(nodes.length).fill(0);
    for (const { scorer, weight } of scorers) {
      for (let index = 0; index < nodes.length; index++) {
        const node = nodes[index];
        if (node !== undefined) scores[index] = scorer.score(node);
      }
      scorer.normalize?.(scores, nodes);
      for (let index = 0; index < totals.length; index++) {
        totals[index] = (totals[index] ?? 0) + (scores[index] ?? 0) * weight;
      }
    }
    return totals;
  });
}

function measured<T>(meter: Meter | undefined, run: () => T): T {
  meter?.begin();
  const result = run();
  meter?.end("Success");
  return result;
}

interface Weighted {
  readonly scorer: NodeScorer;
  readonly weight: number;
}

function preScore(
  plugins: readonly Scoring[],
  cycle: Cycle,
  nodes: readonly NodeInfo[],
  observer: CycleObserver | undefined,
): readonly Weighted[] {
  const scorers: Weighted[] = [];
  for (const { plugin, weight } of plugins) {
    if (plugin.preScore === undefined) continue;
    const meter = observer?.plugin("PreScore", plugin.name) ?? noMeter;
    meter.begin();
    const scorer = plugin.preScore(cycle, nodes);
    meter.end(scorer === undefined ? "Skip" : "Success");
    if (scorer === undefined) continue;
    scorers.push({ scorer: observer === undefined ? scorer : measuredScorer(scorer, plugin.name, observer), weight });
  }
  return scorers;
}

/**
 * Returns the index of the node to take. Equal scores are not broken by chance: the scores are made a heap from the last parent to the first, a node
 * sinks only below a strictly better child, and the right child is taken only if it is strictly better than the left.
 */
export function pickBest(scores: readonly number[]): number {
  const heap = scores.map((_, index) => index);
  const scoreAt = (position: number) => scores[heap[position] ?? 0] ?? 0;
  for (let start = Math.floor(heap.length / 2) - 1; start >= 0; start--) {
    let parent = start;
    for (;;) {
      const left = 2 * parent + 1;
      if (left >= heap.length) break;
      const child = left + 1 < heap.length && scoreAt(left + 1) > scoreAt(left) ? left + 1 : left;
      if (scoreAt(child) <= scoreAt(parent)) break;
      const sinking = heap[parent] ?? 0;
      heap[parent] = heap[child] ?? 0;
      heap[child] = sinking;
      parent = child;
    }
  }
  return heap[0] ?? 0;
}
