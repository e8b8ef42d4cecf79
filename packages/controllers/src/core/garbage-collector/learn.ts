// What the graph learns from live reads and from what became of a plan.
import { findStatusError, isConflict } from "@kubeloop/core/api";
import type { Learned, Outcome, Wake } from "@kubeloop/core/contract";
import type { Findings } from "./decide.ts";
import type { OwnerGraph } from "./model.ts";
import type { ObservedItem, ObservedOwner } from "./observe.ts";

export function learnFromItem(
  graph: OwnerGraph,
  { node: { identity }, misplacedOwners }: ObservedItem,
  { outcome }: Learned<Findings>,
): readonly Wake[] {
  const { isGone = false, isSeen = false, absentOwners = [], owners } = outcome.notes ?? {};
  graph.forgetMisplacedOwners(identity.uid, misplacedOwners);
  for (const owner of absentOwners) graph.absentOwners.note(owner);
  noteRefusedPatches(graph, outcome);
  const [deletion] = outcome.find({ type: "delete" });
  const isDeletedAlready = deletion?.result.status === "tolerated";
  if (isGone || isDeletedAlready) return graph.confirmAbsent(identity);
  if (isSeen) graph.noteSeen(identity.uid);
  if (owners !== undefined && deletion?.result.status === "failed" && isConflict(deletion.result.error)) {
    graph.noteRefused(identity.uid, owners);
  }
  return [];
}

export function learnFromOwner(graph: OwnerGraph, _observed: ObservedOwner, { outcome }: Learned): readonly Wake[] {
  noteRefusedPatches(graph, outcome);
  return [];
}

/** The next try sends another patch. */
function noteRefusedPatches(graph: OwnerGraph, outcome: Outcome): void {
  if (!outcome.hasFailed) return;
  for (const { action, result } of outcome.find({ type: "patch" })) {
    if (result.status !== "failed" || action.type !== "patch" || action.patch.type !== "strategic") continue;
    if (findStatusError(result.error)?.code === 415) graph.noteWithoutStrategicPatch(action.resource);
  }
}
