// Wakes the owners that may adopt an orphan: those of its namespace whose selector matches its labels. Beside `owned`, which wakes the
// owner that an object has already.
//
//   watches: [owned(pods), wakesMatching(pods, replicaSets, ({ spec }) => spec?.selector)]
//
// An owner whose selector is absent, empty or malformed is not woken: an empty selector would match every orphan there is.
import {
  controllerOf,
  isEverything,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  type Resource,
} from "@kubeloop/core/api";
import { mapped, type Watch } from "@kubeloop/core/contract";
import { readSelector } from "./claim.ts";

export function wakesMatching<Child extends KubernetesObject, Owner extends KubernetesObject>(
  children: Resource<Child>,
  owners: Resource<Owner>,
  selectorOf: (owner: Owner) => metav1.LabelSelector | undefined,
): Watch {
  return mapped(
    children,
    (child, snapshot) => {
      if (controllerOf(child) !== undefined) return [];
      const { namespace = "", labels } = child.metadata;
      const matching = snapshot.list(owners, { namespace }).filter((owner) => {
        const selector = readSelector(selectorOf(owner));
        return !isEverything(selector) && matchesSelector(selector, labels);
      });
      return matching.map(keyOf);
    },
    // Nobody adopts what is gone.
    { when: ({ type }) => type !== "delete" },
  );
}
