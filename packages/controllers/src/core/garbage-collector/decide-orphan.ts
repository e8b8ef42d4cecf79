// The rules of attemptToOrphan: an owner that is deleted with the policy Orphan is let go of by its dependents, and loses its finalizer
// when all of them have.
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  type InSlices,
  liveGet,
  plan,
  unfinished,
} from "@kubeloop/core/contract";
import { withoutFinalizer } from "./decide.ts";
import { keyIn } from "./identity.ts";
import { orphanFinalizer } from "./model.ts";
import type { ObservedOwner } from "./observe.ts";
import { removeOwners } from "./owner-patches.ts";
import { newNotServed } from "./served-kinds.ts";

/** In slices: an owner may have ten thousand dependents. */
export function* decideOrphan(observed: ObservedOwner, context: DecideContext): InSlices<Decision> {
  const { node, dependents, resourceOf, takesStrategicPatch } = observed;
  const { identity } = node;
  const resource = resourceOf(identity);
  if (resource === undefined) return unfinished("its kind is not served", newNotServed(identity));
  const question = liveGet(resource, keyIn(resource, identity), { metadataOnly: true });
  const answer = context.answer(question);
  if (answer === undefined) return ask("which finalizers has it?", question);
  if (!answer.ok) return unfinished("it cannot be read", answer.error);
  const uids = new Set([identity.uid]);
  const released: Action[] = [];
  let error: Error | undefined;
  for (const dependent of dependents) {
    yield;
    const of = resourceOf(dependent.identity);
    if (of === undefined) error = newNotServed(dependent.identity);
    else released.push(removeOwners(of, dependent, { uids, takesStrategicPatch }));
  }
  if (error !== undefined) return plan("releases the dependents it can", [released], { unfinished: error });
  const owner = answer.value;
  // If it is gone already, its dependents are not meant to go with it.
  const isOwner = owner?.metadata.uid === identity.uid;
  return plan("releases its dependents", [
    released,
    isOwner ? [withoutFinalizer(resource, owner, orphanFinalizer)] : [],
  ]);
}
