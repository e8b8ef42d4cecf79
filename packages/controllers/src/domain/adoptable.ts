// Wakes the owners that may adopt an object: those of its namespace whose selector matches its labels, while nobody controls it. Beside
// `owned`, which wakes the owner that an object has.
//
//   watches: [owned(pods), adoptable(pods, replicaSets, ({ spec }) => spec?.selector)]
//
// An owner whose selector is absent, empty or malformed is not woken: an empty selector would match every orphan there is. Nor is anybody woken
// by changes that make nothing adoptable: of the status of an orphan, of an object that is being deleted, of one without labels.
import {
  controllerOf,
  isEverything,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  type Resource,
} from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type Change, mapped, type Watch } from "@kubeloop/core/contract";
import { isBeingDeleted } from "./claim.ts";
import { selectorOf } from "./selectors.ts";

export function adoptable<Child extends KubernetesObject, Owner extends KubernetesObject>(
  children: Resource<Child>,
  owners: Resource<Owner>,
  selectorIn: (owner: Owner) => metav1.LabelSelector | undefined,
): Watch {
  return mapped(
    children,
    (child, snapshot) => {
      if (controllerOf(child) !== undefined || isBeingDeleted(child)) return [];
      const { namespace = "", labels } = child.metadata;
      if (labels === undefined || Object.keys(labels).length === 0) return [];
      const matching = snapshot.list(owners, { namespace }).filter((owner) => {
        const selector = selectorOf(selectorIn(owner));
        return !isEverything(selector) && matchesSelector(selector, labels);
      });
      return matching.map(keyOf);
    },
    { when: mayMakeAdoptable },
  );
}

function mayMakeAdoptable(change: Change<KubernetesObject>): boolean {
  if (change.type === "delete") return false;
  if (change.type === "add") return true;
  const { before, object } = change;
  const hasOtherLabels = !deepEqual(before.metadata.labels, object.metadata.labels);
  return hasOtherLabels || controllerOf(before)?.uid !== controllerOf(object)?.uid;
}
