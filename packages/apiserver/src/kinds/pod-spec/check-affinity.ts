// Where a pod wants to be: near or far from nodes and other pods, spread, tolerant of taints.
import { type corev1, type metav1, validateDns1123Label, validateLabelValue } from "@kubeloop/core/api";
import { checkOptionalChoice, checkPositive, isAbsent } from "../shared/checks.ts";
import { checkLabelName, checkLabelSelector } from "../shared/labels.ts";
import { checkNodeSelector, checkNodeSelectorTerm } from "../shared/node-selector.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import type { PodSpecOptions } from "./options.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

export function checkAffinity(affinity: corev1.Affinity, fldPath: ValidationPath, options: PodSpecOptions): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) checkNodeAffinity(nodeAffinity, fldPath.at("nodeAffinity"), options);
  if (podAffinity !== undefined) checkPodAffinity(podAffinity, fldPath.at("podAffinity"), options);
  if (podAntiAffinity !== undefined) {
    checkPodAffinity(podAntiAffinity, fldPath.at("podAntiAffinity"), options);
  }
}

function checkNodeAffinity(affinity: corev1.NodeAffinity, fldPath: ValidationPath, options: PodSpecOptions): void {
  const selector = affinity[required];
  if (selector !== undefined) {
    const allowsInvalidValues = options.allowsInvalidNodeAffinityValues;
    checkNodeSelector(selector, fldPath.at(required), { allowsInvalidValues });
  }
  for (const [i, { weight, preference }] of (affinity[preferred] ?? []).entries()) {
    const termPath = fldPath.at(preferred).item(i);
    checkWeight(weight, termPath);
    // What is only preferred may never come true: such a term does no harm.
    checkNodeSelectorTerm(preference, termPath.at("preference"), { allowsInvalidValues: true });
  }
}

function checkPodAffinity(affinity: corev1.PodAffinity, fldPath: ValidationPath, options: PodSpecOptions): void {
  for (const [i, term] of (affinity[required] ?? []).entries()) {
    checkPodAffinityTerm(term, fldPath.at(required).item(i), options);
  }
  for (const [i, { weight, podAffinityTerm }] of (affinity[preferred] ?? []).entries()) {
    const termPath = fldPath.at(preferred).item(i);
    checkWeight(weight, termPath);
    checkPodAffinityTerm(podAffinityTerm, termPath.at("podAffinityTerm"), options);
  }
}

function checkWeight(weight: number, fldPath: ValidationPath): void {
  if (weight > 0 && weight <= 100) return;
  fldPath.at("weight").invalid(weight ?? 0, "must be in the range 1-100");
}

function checkPodAffinityTerm(
  term: corev1.PodAffinityTerm,
  fldPath: ValidationPath,
  { allowsInvalidSelectorValues: allowsInvalidValues }: PodSpecOptions,
): void {
  const { labelSelector, namespaceSelector, topologyKey = "" } = term;
  checkLabelSelector(labelSelector, fldPath.at("labelSelector"), { allowsInvalidValues });
  checkLabelSelector(namespaceSelector, fldPath.at("namespaceSelector"), { allowsInvalidValues });
  for (const name of term.namespaces ?? []) {
    fldPath.at("namespace").invalidFor(name, validateDns1123Label(name));
  }
  checkLabelKeys(term, fldPath);
  const keyPath = fldPath.at("topologyKey");
  if (topologyKey === "") keyPath.required("can not be empty");
  checkLabelName(topologyKey, keyPath);
}

interface LabelKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: metav1.LabelSelector;
}

/** Keys whose value is the pod's own. They have been added to the selector when the pod was made. */
function checkLabelKeys(keys: LabelKeys, fldPath: ValidationPath): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = keys;
  const matchPath = fldPath.at("matchLabelKeys");
  checkKeyNames(matchLabelKeys, matchPath, labelSelector);
  checkKeyNames(mismatchLabelKeys, fldPath.at("mismatchLabelKeys"), labelSelector);
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  const indexes = new Map(matchLabelKeys.map((key, i) => [key, i]));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const i = indexes.get(key);
    if (i !== undefined && selected.has(key)) {
      fldPath.item(i).invalid(key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  const mismatched = new Set(mismatchLabelKeys);
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatched.has(key)) continue;
    matchPath.item(i).invalid(key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

function checkKeyNames(
  keys: readonly string[],
  fldPath: ValidationPath,
  selector: metav1.LabelSelector | undefined,
): void {
  if (keys.length === 0) return;
  if (selector === undefined) {
    fldPath.forbidden("must not be specified when labelSelector is not set");
    return;
  }
  for (const [i, key] of keys.entries()) checkLabelName(key, fldPath.item(i));
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const inclusionPolicies = ["Honor", "Ignore"];

export function checkSpreadConstraints(
  constraints: readonly corev1.TopologySpreadConstraint[],
  fldPath: ValidationPath,
  options: PodSpecOptions,
): void {
  const pairOf = ({ topologyKey = "", whenUnsatisfiable = "" }: corev1.TopologySpreadConstraint) =>
    `{${topologyKey}, ${whenUnsatisfiable}}`;
  const last = new Map(constraints.map((constraint, i) => [pairOf(constraint), i]));
  for (const [i, constraint] of constraints.entries()) {
    const pair = pairOf(constraint);
    checkSpreadConstraint(constraint, fldPath.item(i), {
      ...options,
      repeats: last.get(pair) === i ? undefined : pair,
    });
  }
}

interface SpreadOptions extends PodSpecOptions {
  /** What a later constraint says again. */
  readonly repeats: string | undefined;
}

function checkSpreadConstraint(
  constraint: corev1.TopologySpreadConstraint,
  fldPath: ValidationPath,
  options: SpreadOptions,
): void {
  const { topologyKey, whenUnsatisfiable: action = "", minDomains } = constraint;
  checkPositive(constraint.maxSkew, fldPath.at("maxSkew"));
  if (isAbsent(topologyKey)) fldPath.at("topologyKey").required("can not be empty");
  if (!actions.includes(action)) fldPath.at("whenUnsatisfiable").notSupported(action, actions);
  if (options.repeats !== undefined) fldPath.at("{topologyKey, whenUnsatisfiable}").duplicate(options.repeats);
  if (minDomains !== undefined) {
    const domainsPath = fldPath.at("minDomains");
    checkPositive(minDomains, domainsPath);
    if (action !== "DoNotSchedule") {
      const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      domainsPath.invalid(minDomains, why);
    }
  }
  const { nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  checkOptionalChoice(nodeAffinityPolicy, fldPath.at("nodeAffinityPolicy"), inclusionPolicies);
  checkOptionalChoice(nodeTaintsPolicy, fldPath.at("nodeTaintsPolicy"), inclusionPolicies);
  checkLabelKeys(constraint, fldPath);
  if (!options.allowsInvalidSpreadSelectors) {
    checkLabelSelector(constraint.labelSelector, fldPath.at("labelSelector"));
  }
}

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function checkTolerations(
  tolerations: readonly corev1.Toleration[],
  fldPath: ValidationPath,
  options: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  for (const [i, toleration] of tolerations.entries()) checkToleration(toleration, fldPath.item(i), options);
}

function checkToleration(
  { key = "", operator = "", value = "", effect = "", tolerationSeconds }: corev1.Toleration,
  fldPath: ValidationPath,
  options: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  const operatorPath = fldPath.at("operator");
  if (key !== "") checkLabelName(key, fldPath.at("key"));
  else if (operator !== "Exists") {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    operatorPath.invalid(operator, why);
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    fldPath.at("effect").invalid(effect, why);
  }
  checkTolerationValue({ operator, value }, fldPath, options);
  if (effect !== "" && !taintEffects.includes(effect)) {
    fldPath.at("effect").notSupported(effect, taintEffects);
  }
}

function checkTolerationValue(
  { operator, value }: { readonly operator: string; readonly value: string },
  fldPath: ValidationPath,
  { allowsComparingTolerations }: Pick<PodSpecOptions, "allowsComparingTolerations">,
): void {
  const operatorPath = fldPath.at("operator");
  switch (operator) {
    case "":
    case "Equal": {
      const reasons = validateLabelValue(value);
      if (reasons.length > 0) operatorPath.invalid(value, reasons.join(";"));
      break;
    }
    case "Exists":
      if (value !== "") {
        operatorPath.invalid(value, "value must be empty when `operator` is 'Exists'");
      }
      break;
    case "Lt":
    case "Gt":
      if (allowsComparingTolerations) checkWholeNumber(value, fldPath.at("value"));
      else operatorPath.notSupported(operator, ["Equal", "Exists", "Lt", "Gt"]);
      break;
    default:
      operatorPath.notSupported(operator, ["Equal", "Exists"]);
  }
}

function checkWholeNumber(text: string, fldPath: ValidationPath): void {
  if (/^(0|-?[1-9][0-9]*)$/.test(text)) return;
  const why = text === "" ? "must be non-empty" : "must be a valid decimal integer in canonical form";
  fldPath.invalid(text, why);
}
