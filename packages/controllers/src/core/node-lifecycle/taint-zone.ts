// The rules for one zone: of the nodes that wait, one after the other gets its NoExecute taint, as fast as the zone's rate allows. From then on
// taint-eviction deletes its pods.
import {
  type Action,
  type DecideContext,
  editObject,
  type Learned,
  nothing,
  type Outcome,
  type Plan,
  plan,
  type Wake,
} from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { evictions } from "./metrics.ts";
import { type NodeMemory, takeToken } from "./model.ts";
import type { SeenZone } from "./observe.ts";
import { noExecuteTaints, readyStatusOf, withTaints } from "./taints.ts";

export interface ZoneNotes {
  /** Names that wait no longer: gone, ready again, tainted by somebody else. A pass adds them again if they should wait. */
  readonly dropped: readonly string[];
  readonly tainted?: { readonly name: string; readonly action: Action };
}

export function decideZone({ limiter, waiting }: SeenZone, { nowMs }: DecideContext): Plan<ZoneNotes> {
  const dropped: string[] = [];
  for (const [name, node] of waiting) {
    const taints = node && noExecuteTaints(readyStatusOf(node));
    const after = taints && withTaints(node, { add: [taints.wanted], remove: [taints.opposite] }, nowMs);
    const action = after && editObject(nodes, node, after);
    if (action === undefined) {
      dropped.push(name);
      continue;
    }
    if (limiter.rate === 0) return nothing("no node of this zone is tainted", { notes: { dropped } });
    if (limiter.freeAtMs > nowMs) {
      return nothing("not so fast", { notes: { dropped }, requeueAfterMs: limiter.freeAtMs - nowMs });
    }
    const hasMore = waiting.length > dropped.length + 1;
    return plan(`taint ${name}`, [[action]], {
      notes: { dropped, tainted: { name, action } },
      requeueAfterMs: hasMore ? 1000 / limiter.rate : undefined,
    });
  }
  return nothing("none waits any more", { notes: { dropped } });
}

export function reserveZone(
  { zones }: NodeMemory,
  { zone: name }: SeenZone,
  { plan: { notes }, nowMs }: { readonly plan: Plan<ZoneNotes>; readonly nowMs: number },
): void {
  const zone = zones.get(name);
  if (zone === undefined || notes === undefined) return;
  for (const each of notes.dropped) zone.waiting.delete(each);
  if (notes.tainted === undefined) return;
  zone.waiting.delete(notes.tainted.name);
  zone.limiter = takeToken(zone.limiter, nowMs);
}

/** A node that was not tainted waits again, and what it took is given back: the key is tried again by itself. */
export function learnZone({ zones }: NodeMemory, seen: SeenZone, { outcome }: Learned<ZoneNotes>): readonly Wake[] {
  const zone = zones.get(seen.zone);
  const tainted = outcome.notes?.tainted;
  if (zone === undefined || tainted === undefined || !outcome.isRefused(tainted.action)) return [];
  zone.waiting.add(tainted.name);
  if (zone.limiter.rate === seen.limiter.rate) zone.limiter = seen.limiter;
  return [];
}

export function reportZone({ zone }: SeenZone, outcome: Outcome<ZoneNotes>): Plan | undefined {
  const tainted = outcome.notes?.tainted;
  if (tainted === undefined || !outcome.isDone(tainted.action)) return undefined;
  return nothing("tainted", { measures: [evictions.inc({ zone })] });
}
