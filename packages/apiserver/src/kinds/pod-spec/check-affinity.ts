// Where a pod wants to be: near or far from nodes and other pods, spread, tolerant of taints.
import { type corev1, type metav1, validateDns1123Label, validateLabelValue } from "@kubeloop/core/api";
import { checkOptionalChoice, checkPositive, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkLabelName, checkLabelSelector } from "../shared/labels.ts";
import { checkNodeSelector, checkNodeSelectorTerm } from "../shared/node-selector.ts";
import type { PodSpecOptions } from "./options.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

export function checkAffinity(affinity: corev1.Affinity, place: FaultPlace, options: PodSpecOptions): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) checkNodeAffinity(nodeAffinity, place.at("nodeAffinity"), options);
  if (podAffinity !== undefined) checkPodAffinity(podAffinity, place.at("podAffinity"), options);
  if (podAntiAffinity !== undefined) {
    checkPodAffinity(podAntiAffinity, place.at("podAntiAffinity"), options);
  }
}

function checkNodeAffinity(affinity: corev1.NodeAffinity, place: FaultPlace, options: PodSpecOptions): void {
  const selector = affinity[required];
  if (selector !== undefined) {
    const allowsInvalidValues = options.allowsInvalidNodeAffinityValues;
    checkNodeSelector(selector, place.at(required), { allowsInvalidValues });
  }
  for (const [i, { weight, preference }] of (affinity[preferred] ?? []).entries()) {
    const termPlace = place.at(preferred).item(i);
    checkWeight(weight, termPlace);
    // What is only preferred may never come true: such a term does no harm.
    checkNodeSelectorTerm(preference, termPlace.at("preference"), { allowsInvalidValues: true });
  }
}

function checkPodAffinity(affinity: corev1.PodAffinity, place: FaultPlace, options: PodSpecOptions): void {
  for (const [i, term] of (affinity[required] ?? []).entries()) {
    checkPodAffinityTerm(term, place.at(required).item(i), options);
  }
  for (const [i, { weight, podAffinityTerm }] of (affinity[preferred] ?? []).entries()) {
    const termPlace = place.at(preferred).item(i);
    checkWeight(weight, termPlace);
    checkPodAffinityTerm(podAffinityTerm, termPlace.at("podAffinityTerm"), options);
  }
}

function checkWeight(weight: number, place: FaultPlace): void {
  if (weight > 0 && weight <= 100) return;
  place.at("weight").invalid(weight ?? 0, "must be in the range 1-100");
}

function checkPodAffinityTerm(
  term: corev1.PodAffinityTerm,
  place: FaultPlace,
  { allowsInvalidSelectorValues: allowsInvalidValues }: PodSpecOptions,
): void {
  const { labelSelector, namespaceSelector, topologyKey = "" } = term;
  checkLabelSelector(labelSelector, place.at("labelSelector"), { allowsInvalidValues });
  checkLabelSelector(namespaceSelector, place.at("namespaceSelector"), { allowsInvalidValues });
  for (const name of term.namespaces ?? []) {
    place.at("namespace").invalidFor(name, validateDns1123Label(name));
  }
  checkLabelKeys(term, place);
  const keyPlace = place.at("topologyKey");
  if (topologyKey === "") keyPlace.required("can not be empty");
  checkLabelName(topologyKey, keyPlace);
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: metav1.LabelSelector;
}

/** Keys whose value is the pod's own. They have been added to the selector when the pod was made. */
function checkLabelKeys(keys: LabelKeys, place: FaultPlace): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = keys;
  const matchPlace = place.at("matchLabelKeys");
  checkKeyNames(matchLabelKeys, matchPlace, labelSelector);
  checkKeyNames(mismatchLabelKeys, place.at("mismatchLabelKeys"), labelSelector);
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  const indexes = new Map(matchLabelKeys.map((key, i) => [key, i]));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const i = indexes.get(key);
    if (i !== undefined && selected.has(key)) {
      place.item(i).invalid(key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  const mismatched = new Set(mismatchLabelKeys);
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatched.has(key)) continue;
    matchPlace.item(i).invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

function checkKeyNames(keys: readonly string[], place: FaultPlace, selector: metav1.LabelSelector | undefined): void {
  if (keys.length === 0) return;
  if (selector === undefined) {
    place.forbidden("must not be specified when labelSelector is not set");
    return;
  }
  for (const [i, key] of keys.entries()) checkLabelName(key, place.item(i));
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const inclusionPolicies = ["Honor", "Ignore"];

export function checkSpreadConstraints(
  constraints: readonly corev1.TopologySpreadConstraint[],
  place: FaultPlace,
  options: PodSpecOptions,
): void {
  const pairOf = ({ topologyKey = "", whenUnsatisfiable = "" }: corev1.TopologySpreadConstraint) =>
    `{${topologyKey}, ${whenUnsatisfiable}}`;
  const last = new Map(constraints.map((constraint, i) => [pairOf(constraint), i]));
  for (const [i, constraint] of constraints.entries()) {
    const pair = pairOf(constraint);
    checkSpreadConstraint(constraint, place.item(i), { ...options, repeats: last.get(pair) === i ? undefined : pair });
  }
}

interface SpreadOptions extends PodSpecOptions {
  /** What a later constraint says again. */
  readonly repeats: string | undefined;
}

function checkSpreadConstraint(
  constraint: corev1.TopologySpreadConstraint,
  place: FaultPlace,
  options: SpreadOptions,
): void {
  const { topologyKey, whenUnsatisfiable: action = "", minDomains } = constraint;
  checkPositive(constraint.maxSkew, place.at("maxSkew"));
  if (isAbsent(topologyKey)) place.at("topologyKey").required("can not be empty");
  if (!actions.includes(action)) place.at("whenUnsatisfiable").notSupported(action, actions);
  if (options.repeats !== undefined) place.at("{topologyKey, whenUnsatisfiable}").duplicate(options.repeats);
  if (minDomains !== undefined) {
    const domainsPlace = place.at("minDomains");
    checkPositive(minDomains, domainsPlace);
    if (action !== "DoNotSchedule") {
      const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      domainsPlace.invalid(minDomains, why);
    }
  }
  const { nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  checkOptionalChoice(nodeAffinityPolicy, place.at("nodeAffinityPolicy"), inclusionPolicies);
  checkOptionalChoice(nodeTaintsPolicy, place.at("nodeTaintsPolicy"), inclusionPolicies);
  checkLabelKeys(constraint, place);
  if (!options.allowsInvalidSpreadSelectors) {
    checkLabelSelector(constraint.labelSelector, place.at("labelSelector"));
  }
}

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function checkTolerations(
  tolerations: readonly corev1.Toleration[],
  place: FaultPlace,
  options: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  for (const [i, toleration] of tolerations.entries()) checkToleration(toleration, place.item(i), options);
}

function checkToleration(
  { key = "", operator = "", value = "", effect = "", tolerationSeconds }: corev1.Toleration,
  place: FaultPlace,
  options: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  const operatorPlace = place.at("operator");
  if (key !== "") checkLabelName(key, place.at("key"));
  else if (operator !== "Exists") {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    operatorPlace.invalid(operator, why);
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    place.at("effect").invalid(effect, why);
  }
  checkTolerationValue({ operator, value }, place, options);
  if (effect !== "" && !taintEffects.includes(effect)) {
    place.at("effect").notSupported(effect, taintEffects);
  }
}

function checkTolerationValue(
  { operator, value }: { readonly operator: string; readonly value: string },
  place: FaultPlace,
  { allowsComparingTolerations }: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  const operatorPlace = place.at("operator");
  switch (operator) {
    case "":
    case "Equal": {
      const reasons = validateLabelValue(value);
      if (reasons.length > 0) operatorPlace.invalid(value, reasons.join(";"));
      break;
    }
    case "Exists":
      if (value !== "") {
        operatorPlace.invalid(value, "value must be empty when `operator` is 'Exists'");
      }
      break;
    case "Lt":
    case "Gt":
      if (allowsComparingTolerations) checkWholeNumber(value, place.at("value"));
      else operatorPlace.notSupported(operator, ["Equal", "Exists", "Lt", "Gt"]);
      break;
    default:
      operatorPlace.notSupported(operator, ["Equal", "Exists"]);
  }
}

function checkWholeNumber(text: string, place: FaultPlace): void {
  if (/^(0|-?[1-9][0-9]*)$/.test(text)) return;
  const why = text === "" ? "must be non-empty" : "must be a valid decimal integer in canonical form";
  place.invalid(text, why);
}
