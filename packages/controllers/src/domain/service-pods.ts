// Which pods a Service selects, and which Services select a pod.
//
//   watches: [servicesOfPods({ afterMs: batchMs })], indexes: [servicesBySelector, podsByLabel]
//   observe: (key, { snapshot }) => podsOfService(snapshot, service)
//
// A change of a pod costs a look-up for each of its labels: Services are indexed by one pair of their selectors, so that neither the Services
// of other namespaces nor those that cannot match are looked at. A Service without a selector selects nothing. A server never stores an empty
// one, and what is not stored is not there.
import { type corev1, keyOf, matchesSelector, selectorFromLabels } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type Change, defineIndex, type Index, mapped, type Snapshot, type Watch } from "@kubeloop/core/contract";
import { pods, services } from "@kubeloop/core/resources";
import { isPodReady, isPodTerminal } from "@kubeloop/core/rules";
import { podsMatching } from "./by-label.ts";

type Labels = Readonly<Record<string, string>>;

/** Undefined for a Service whose endpoints are not made of pods. */
export function selectorOfService({ spec }: corev1.Service): Labels | undefined {
  const selector = spec?.selector;
  return selector === undefined || selector === null || Object.keys(selector).length === 0 ? undefined : selector;
}

/** By the namespace and the first pair of the selector. */
export const servicesBySelector: Index<corev1.Service> = defineIndex("selector", services, (service) => {
  const [first] = Object.entries(selectorOfService(service) ?? {}).toSorted();
  return first === undefined ? [] : [pairIn(service.metadata.namespace, first)];
});

const pairIn = (namespace: string | undefined, [key, value]: readonly [string, string]) =>
  `${namespace ?? ""} ${key}=${value}`;

/** The pods of the namespace that the selector matches; none without a selector. */
export function podsOfService(snapshot: Snapshot, service: corev1.Service): readonly corev1.Pod[] {
  const selector = selectorOfService(service);
  if (selector === undefined) return [];
  return podsMatching(snapshot, service.metadata.namespace ?? "", { matchLabels: selector });
}

/** The Services of the pod's namespace whose selectors match its labels. */
export function servicesOfPod(snapshot: Snapshot, { metadata }: corev1.Pod): readonly corev1.Service[] {
  return Object.entries(metadata.labels ?? {}).flatMap((pair) =>
    snapshot
      .byIndex(servicesBySelector, pairIn(metadata.namespace, pair))
      .filter((service) => matches(service, metadata.labels)),
  );
}

function matches(service: corev1.Service, labels: Labels | undefined): boolean {
  const selector = selectorOfService(service);
  return selector !== undefined && matchesSelector(selectorFromLabels(selector), labels);
}

/**
 * Wakes the Services that select a pod, or did so before, when it changes in what endpoints say of it. If only its labels change, Services
 * that select it before and after are not woken.
 */
export function servicesOfPods({ afterMs }: { readonly afterMs: number }): Watch {
  return mapped(
    pods,
    (pod, snapshot, change) => {
      const all = servicesOfPod(snapshot, pod);
      if (change.type !== "update" || changesEndpoint(change)) return all.map(keyOf);
      const other = pod === change.object ? change.before : change.object;
      return all.filter((service) => !matches(service, other.metadata.labels)).map(keyOf);
    },
    { when: (change) => change.type !== "update" || changesEndpoint(change) || changesLabels(change), afterMs },
  );
}

type Update = Extract<Change<corev1.Pod>, { readonly type: "update" }>;

/** Whether the address of a pod, or what is said of it, may be another one. Each update of a terminating pod counts, as upstream has it. */
function changesEndpoint({ before, object }: Update): boolean {
  return (
    (before !== object && isDeleted(before) && isDeleted(object)) ||
    isDeleted(before) !== isDeleted(object) ||
    isPodReady(before) !== isPodReady(object) ||
    isPodTerminal(before) !== isPodTerminal(object) ||
    !deepEqual(addressesOf(before), addressesOf(object))
  );
}

const isDeleted = ({ metadata }: corev1.Pod) => metadata.deletionTimestamp !== undefined;
const addressesOf = ({ status }: corev1.Pod) => (status?.podIPs ?? []).map(({ ip }) => ip);

const changesLabels = ({ before, object }: Update) => !deepEqual(before.metadata.labels, object.metadata.labels);
