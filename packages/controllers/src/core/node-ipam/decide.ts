// The rules of node-ipam: a node without networks gets one of each address family; a network is one node's only.
import {
  type Action,
  type Learned,
  nothing,
  type Outcome,
  type Plan,
  patch,
  plan,
  recordEvent,
  type Wake,
} from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import type { NodeNetworks } from "./model.ts";
import type { Observed } from "./observe.ts";

/** A failure is told when it has failed so often in a row. */
const triesPerEvent = 3;

export interface Notes {
  readonly assignment?: Action;
  readonly isWaiting: boolean;
}

export function decide({ node, isBeingDeleted, found }: Observed): Plan<Notes> {
  if (isBeingDeleted) return nothing("is being deleted");
  if (found === undefined) {
    const event = statusEvent({ node }, "CIDRNotAvailable");
    const unfinished = new Error("there are no remaining CIDRs left to allocate in the accepted range");
    return plan("no network is left", [[event]], { notes: { isWaiting: true }, unfinished });
  }
  const { cidrs } = found;
  const { name = "", uid } = node.metadata;
  const body = { spec: { podCIDR: cidrs[0], podCIDRs: cidrs } };
  // Not bound to a version: the server refuses to change networks that a node has.
  const assignment = patch(
    nodes,
    name,
    { type: "strategic", body },
    uid === undefined ? {} : { preconditions: { uid } },
  );
  return plan(`give it ${cidrs.join(", ")}`, [[assignment]], { notes: { assignment, isWaiting: false } });
}

/** In the same call as `observe`: nobody else can be given the same. */
export function reserve(
  model: NodeNetworks,
  { node, found }: Observed,
  { plan: { notes } }: { readonly plan: Plan<Notes> },
): void {
  if (notes?.assignment !== undefined && found !== undefined) model.give(node, found.networks);
}

export function learn(model: NodeNetworks, { node }: Observed, { outcome }: Learned<Notes>): readonly Wake[] {
  const { name = "" } = node.metadata;
  const { notes } = outcome;
  if (notes?.isWaiting === true) model.waiting.add(name);
  else model.waiting.delete(name);
  if (notes?.assignment === undefined) return [];
  if (outcome.isDone(notes.assignment)) model.forgetFailures(name);
  else model.noteFailure(name);
  if (!outcome.isRefused(notes.assignment)) {
    model.keep(name);
    return [];
  }
  model.refuse(name);
  return [...model.waiting];
}

export function report({ node, failures }: Observed, outcome: Outcome<Notes>): Plan | undefined {
  const assignment = outcome.notes?.assignment;
  if (assignment === undefined || outcome.isDone(assignment) || (failures + 1) % triesPerEvent !== 0) return undefined;
  return plan("it could not be assigned", [[statusEvent({ node }, "CIDRAssignmentFailed")]]);
}

function statusEvent({ node }: Pick<Observed, "node">, reason: string): Action {
  const message = `Node ${node.metadata.name} status is now: ${reason}`;
  return recordEvent(node, { type: "Normal", reason, message });
}
