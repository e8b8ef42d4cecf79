// Finds what a selector matches by one label that it requires, without looking at any other object of the namespace.
//
//   indexes: [podsByLabel]
//   observe: (key, { snapshot }) => ({ pods: podsMatching(snapshot, namespace, budget.spec?.selector) })
import { type corev1, type KubernetesObject, matchesSelector, type metav1 } from "@kubeloop/core/api";
import { defineIndex, type Index, type Snapshot } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";
import { selectorOf } from "./selectors.ts";

/** Which a selector requires one of: pairs of one key. Undefined where it requires none, as `!web` or `app notin (web)` do. */
export function requiredPairs({ matchLabels, matchExpressions }: metav1.LabelSelector): readonly string[] | undefined {
  for (const [key, value] of Object.entries(matchLabels ?? {}).toSorted()) return [pairOf(key, value)];
  const some = matchExpressions?.find(({ operator }) => operator === "In");
  return some && [...new Set(some.values)].map((value) => pairOf(some.key, value));
}

export const labelPairs = ({ metadata }: KubernetesObject): readonly string[] =>
  Object.entries(metadata.labels ?? {}).map(([key, value]) => pairOf(key, value));

const pairOf = (key: string, value: string) => `${key}=${value}`;

/** By the namespace, and each pair of their labels. */
export const podsByLabel: Index<corev1.Pod> = defineIndex("label", pods, (pod) =>
  labelPairs(pod).map((pair) => valueIn(pod.metadata.namespace, pair)),
);

const valueIn = (namespace = "", pair: string) => `${namespace} ${pair}`;

/** The pods of the namespace that the selector matches, in no order; none for a selector that is absent or malformed. */
export function podsMatching(
  snapshot: Snapshot,
  namespace: string,
  selector: metav1.LabelSelector | undefined,
): readonly corev1.Pod[] {
  const parsed = selectorOf(selector);
  const pairs = selector && requiredPairs(selector);
  if (pairs === undefined) return snapshot.list(pods, { namespace, selector: parsed });
  // A label has one value, so no pod is found twice.
  return pairs.flatMap((pair) =>
    snapshot
      .byIndex(podsByLabel, valueIn(namespace, pair))
      .filter(({ metadata }) => matchesSelector(parsed, metadata.labels)),
  );
}
