// The rules of a pass over all nodes: who is silent becomes unknown; who is not ready waits for its zone to taint it (taint-zone.ts), whose rate
// follows from how disrupted the zone is. A node that is seen for the first time loses the NoExecute taints that it has.
import type { corev1 } from "@kubeloop/core/api";
import {
  type Action,
  type DecideContext,
  editObject,
  editStatus,
  inOrder,
  type Learned,
  type Measurement,
  nothing,
  type Outcome,
  type Plan,
  plan,
  recordEvent,
  type Wake,
} from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { type GracePeriods, isSilent, withUnknownConditions } from "./health.ts";
import { evictions, nodeDuration, passDuration, unhealthyNodes, zoneHealth, zoneSize } from "./metrics.ts";
import { type NodeMemory, newZone, withRate } from "./model.ts";
import type { Pass, SeenNode } from "./observe.ts";
import { hasTaint, noExecuteTaints, notReady, readyStatusOf, unreachable, withTaints } from "./taints.ts";
import {
  type Disruption,
  disruptionOf,
  evictionRate,
  isExcluded,
  type ZoneCount,
  type ZoneSettings,
  type ZoneState,
  zoneOf,
  zoneState,
} from "./zones.ts";

export interface PassSettings extends GracePeriods, ZoneSettings {}

/** For `learn` and `report`. */
export interface PassNotes {
  readonly disruption: Disruption;
  readonly counts: ReadonlyMap<string, ZoneCount>;
  readonly states: ReadonlyMap<string, ZoneState>;
  /** By zone, the nodes that are to be tainted in its time, and those that are not (any more). */
  readonly waiting: readonly (readonly [zone: string, name: string, isWaiting: boolean])[];
  readonly written: ReadonlyMap<string, readonly Action[]>;
}

interface JudgedNode extends SeenNode {
  readonly name: string;
  readonly zone: string;
  /** The status of its Ready condition as its kubelet or an earlier pass left it; undefined if it has none. */
  readonly readyBefore: string | undefined;
  /** The same as this pass leaves it: Unknown if the node is silent. */
  readonly readyStatus: string | undefined;
  /** The node as this pass leaves it. */
  readonly after: corev1.Node;
}

export const newDecidePass =
  (settings: PassSettings) =>
  (pass: Pass, { nowMs }: DecideContext): Plan<PassNotes> => {
    const all = pass.all.map((seen) => judge(seen, settings, nowMs));
    const counts = countZones(all);
    const states = new Map([...counts].map(([zone, count]) => [zone, zoneState(count, settings)] as const));
    const statesBefore = [...counts.keys()].map((zone) => pass.zones.get(zone) ?? "Initial");
    const disruption = disruptionOf(statesBefore, states.values());

    const written = new Map<string, readonly Action[]>();
    const waiting: (readonly [string, string, boolean])[] = [];
    const entries = all.map((judged) => {
      const { name, zone } = judged;
      const { edit, isWaiting } = noExecute(judged, disruption, nowMs);
      if (isWaiting !== undefined) waiting.push([zone, name, isWaiting]);
      const status = editStatus(nodes, judged.node, judged.after);
      const actions = [status, edit].filter((action) => action !== undefined);
      if (actions.length > 0) written.set(name, actions);
      return inOrder(status, status === undefined ? undefined : nodeNotReady(judged), edit);
    });
    const events = [
      ...all.filter(({ isNew }) => isNew).map(({ node }) => nodeEvent(node, "RegisteredNode", "Registered", "in")),
      ...pass.gone.map((node) => nodeEvent(node, "RemovingNode", "Removing", "from")),
    ];
    const measures = zoneMeasures(pass, all, counts);
    const notes: PassNotes = { disruption, counts, states, waiting, written };
    return plan(`${written.size} of ${all.length} nodes change`, [[...events, ...entries]], { notes, measures });
  };

function judge(seen: SeenNode, settings: PassSettings, nowMs: number): JudgedNode {
  const { node, health } = seen;
  const after = isSilent(health, nowMs, settings) ? withUnknownConditions(node, nowMs) : node;
  const { name = "" } = node.metadata;
  const [readyBefore, readyStatus] = [readyStatusOf(node), readyStatusOf(after)];
  return { ...seen, name, zone: zoneOf(node), readyBefore, readyStatus, after };
}

function countZones(all: readonly JudgedNode[]): ReadonlyMap<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>();
  for (const { node, zone, readyStatus } of all) {
    if (isExcluded(node)) continue;
    const { size, notReady } = counts.get(zone) ?? { size: 0, notReady: 0 };
    counts.set(zone, { size: size + 1, notReady: notReady + (readyStatus === "True" ? 0 : 1) });
  }
  return counts;
}

/**
 * Whether the node is to be tainted in its turn, and whether it loses the NoExecute taints that it has. Undefined for `isWaiting` leaves the zone's
 * list as it is. What follows from a node's conditions at once is update-node.ts's.
 */
function noExecute({ node, isNew, readyStatus }: JudgedNode, disruption: Disruption, nowMs: number) {
  const taints = noExecuteTaints(readyStatus);
  const untaint = () => editObject(nodes, node, withTaints(node, { remove: [notReady, unreachable] }, nowMs));
  if (disruption === "entering") return { edit: untaint(), isWaiting: false };
  if (readyStatus === "True") return { isWaiting: false };
  if (taints !== undefined && hasTaint(node, taints.opposite)) return {};
  const isWaiting = taints === undefined ? undefined : isNew || !hasTaint(node, taints.wanted);
  return { edit: isNew ? untaint() : undefined, isWaiting };
}

/** Once, when we find the node silent. */
function nodeNotReady({ node, name, readyBefore }: JudgedNode): Action | undefined {
  if (readyBefore !== "True") return undefined;
  const message = `Node ${name} status is now: NodeNotReady`;
  return recordEvent(node, { type: "Normal", reason: "NodeNotReady", message });
}

function nodeEvent(node: corev1.Node, reason: string, verb: string, preposition: string): Action {
  const { name = "" } = node.metadata;
  const message = `Node ${name} event: ${verb} Node ${name} ${preposition} Controller`;
  return recordEvent(node, { type: "Normal", reason, message });
}

function zoneMeasures({ zones }: Pass, all: readonly JudgedNode[], counts: ReadonlyMap<string, ZoneCount>) {
  const measures: Measurement[] = [];
  for (const [zone, { size, notReady }] of counts) {
    measures.push(
      zoneSize.set(size, { zone }),
      zoneHealth.set((100 * (size - notReady)) / size, { zone }),
      unhealthyNodes.set(notReady, { zone }),
    );
  }
  for (const zone of zones.keys()) {
    if (counts.has(zone)) continue;
    measures.push(zoneSize.set(0, { zone }), zoneHealth.set(100, { zone }), unhealthyNodes.set(0, { zone }));
  }
  const fresh = new Set(all.map(({ zone }) => zone).filter((zone) => !zones.has(zone)));
  return [...measures, ...[...fresh].map((zone) => evictions.add(0, { zone }))];
}

export const newLearnPass =
  (settings: PassSettings) =>
  (model: NodeMemory, pass: Pass, { outcome, nowMs }: Learned<PassNotes>): readonly Wake[] => {
    const { notes } = outcome;
    if (notes === undefined) return [];
    const { disruption, counts, states, waiting } = notes;
    for (const { metadata } of pass.gone) {
      const { name = "" } = metadata;
      model.known.delete(name);
      model.health.delete(name);
      for (const zone of model.zones.values()) zone.waiting.delete(name);
    }
    const inhabited = new Set(pass.all.map(({ node }) => zoneOf(node)));
    for (const { node, health } of pass.all) {
      const { name = "" } = node.metadata;
      model.known.set(name, node);
      // While all were unheard of, the fault was more likely ours.
      model.health.set(name, disruption === "exiting" ? { ...health, heardAtMs: pass.startedAtMs } : health);
    }
    for (const zone of inhabited) if (!model.zones.has(zone)) model.zones.set(zone, newZone(settings.evictionRate));
    for (const [zone, name, isWaiting] of waiting) {
      const names = model.zones.get(zone)?.waiting;
      if (isWaiting) names?.add(name);
      else names?.delete(name);
    }
    // A node that may still have its taints is entered into this state by the next pass.
    const isSettled = disruption !== "entering" || outcome.isComplete;
    for (const [name, zone] of model.zones) {
      const count = counts.get(name);
      const state = states.get(name);
      if (count === undefined || state === undefined) {
        if (!inhabited.has(name)) model.zones.delete(name);
        continue;
      }
      const rate =
        disruption === "entering" || disruption === "stopped" ? 0 : evictionRate(state, count.size, settings);
      zone.limiter = withRate(zone.limiter, rate, nowMs);
      if (isSettled) zone.state = state;
    }
    return [...model.zones].flatMap(([key, { waiting: names, limiter }]) =>
      names.size === 0 || limiter.rate === 0 ? [] : [{ queue: "zones", key, afterMs: zoneDelayMs }],
    );
  };

/** As often as upstream looks for nodes to taint. By then the cache has what the pass has written. */
const zoneDelayMs = 100;

export function reportPass(pass: Pass, outcome: Outcome<PassNotes>, { nowMs }: DecideContext): Plan {
  const seconds = (nowMs - pass.startedAtMs) / 1000;
  const perNode = pass.all.map(({ node }) =>
    nodeDuration.observe(outcome.notes?.written.has(node.metadata.name ?? "") === true ? seconds : 0),
  );
  return nothing("measured", { measures: [...perNode, passDuration.observe(seconds)] });
}
