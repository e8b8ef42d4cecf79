// Who measures a cycle: told when an extension point or a plugin begins and ends. Nothing is read back from it, so that a decision stays a function of its
// arguments; the clock is the observer's.
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { NodeFilter, NodeScorer, Refusal } from "./plugin.ts";

/** How a plugin or an extension point ended, in upstream's words. */
export type PluginStatus = "Success" | "Skip" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";

/** The extension points of a decision, by upstream's names. */
export type CyclePoint =
  | "PreFilter"
  | "Filter"
  | "PostFilter"
  | "PreScore"
  | "Score"
  | "ScoreExtensionNormalize"
  | "Reserve";

/** Measures one thing, again and again. `end` follows `begin`, unless an error is thrown between them. */
export interface Meter {
  begin(): void;
  end(status: PluginStatus): void;
}

export interface CycleObserver {
  /** All plugins of the point. */
  point(point: CyclePoint): Meter;
  /** One plugin; at Filter and Score on one node. */
  plugin(point: CyclePoint, plugin: string): Meter;
}

export const noMeter: Meter = { begin() {}, end() {} };

/** Returns the filter with its calls measured. */
export function measuredFilter(filter: NodeFilter, meter: Meter): NodeFilter {
  return new MeasuredFilter(filter, meter);
}

class MeasuredFilter implements NodeFilter {
  readonly #filter: NodeFilter;
  readonly #meter: Meter;

  constructor(filter: NodeFilter, meter: Meter) {
    this.#filter = filter;
    this.#meter = meter;
  }

  filter(node: NodeInfo): Refusal | undefined {
    this.#meter.begin();
    const refusal = this.#filter.filter(node);
    this.#meter.end(refusal?.code ?? "Success");
    return refusal;
  }

  addPod(pod: PodInfo, node: NodeInfo): void {
    this.#filter.addPod?.(pod, node);
  }

  removePod(pod: PodInfo, node: NodeInfo): void {
    this.#filter.removePod?.(pod, node);
  }

  clone(): NodeFilter {
    const clone = this.#filter.clone?.();
    return clone === undefined ? this : new MeasuredFilter(clone, this.#meter);
  }
}

/** Returns the scorer with its calls measured. */
export function measuredScorer(scorer: NodeScorer, plugin: string, observer: CycleObserver): NodeScorer {
  const meter = observer.plugin("Score", plugin);
  const normalizing = observer.plugin("ScoreExtensionNormalize", plugin);
  return {
    score: (node) => {
      meter.begin();
      const score = scorer.score(node);
      meter.end("Success");
      return score;
    },
    ...(scorer.normalize === undefined
      ? {}
      : {
          normalize: (scores: number[], nodes: readonly NodeInfo[]) => {
            normalizing.begin();
            scorer.normalize?.(scores, nodes);
            normalizing.end("Success");
          },
        }),
  };
}
