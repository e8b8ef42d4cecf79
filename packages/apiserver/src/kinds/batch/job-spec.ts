// What must hold of a Job's spec, in a Job and in a CronJob's template alike.
import { type batchv1, quote, validateDns1123Subdomain, validateQualifiedName } from "@kubeloop/core/api";
import { checkTemplate } from "../pod-spec/check-template.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { checkNonNegative, checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { internalForm } from "../shared/internal-form.ts";
import { countIndexes, parseIndexes } from "./index-intervals.ts";

type JobSpec = batchv1.JobSpec;

const mostParallel = 100_000;
const mostFailedIndexes = 100_000;
/** Beyond so many completions the status grows too large, unless fewer run and fail at a time. */
const manyCompletions = 100_000;
const fewer = 10_000;
const mostRules = 20;
const mostExitCodes = 255;
const longestManager = 63;
const longestIndexes = 64 * 1024;

const numbers = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

export function checkJobSpec(spec: JobSpec, place: FaultPlace, options: PodSpecOptions): void {
  for (const field of numbers) checkNonNegative(spec[field], place.at(field));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    place.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
  }
  if (spec.managedBy !== undefined) checkManager(spec.managedBy, place.at("managedBy"));
  checkOptionalChoice(spec.completionMode, place.at("completionMode"), ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") checkIndexed(spec, place);
  else if (spec.completionMode === undefined || spec.completionMode === "NonIndexed") checkNotIndexed(spec, place);
  if (spec.podFailurePolicy !== undefined) checkFailurePolicy(spec, place.at("podFailurePolicy"));
  if (spec.successPolicy !== undefined) checkSuccessPolicy(spec, place.at("successPolicy"));
  const replacements = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  checkOptionalChoice(spec.podReplacementPolicy, place.at("podReplacementPolicy"), replacements);
  checkTemplate(spec.template, place.at("template"), options);
  checkRestartPolicy(spec, place.at("template", "spec", "restartPolicy"));
}

/** A domain and a path: "acme.io/foo". */
function checkManager(name: string, place: FaultPlace): void {
  const slash = name.indexOf("/");
  const [host, path] = [name.slice(0, slash), name.slice(slash + 1)];
  if (name === "") {
    place.required();
  } else if (slash <= 0 || path === "") {
    place.invalid(name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    place.invalidFor(host, validateDns1123Subdomain(host));
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
      place.invalid(path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
    }
  }
  if (Buffer.byteLength(name) > longestManager) place.tooLong(longestManager);
}

function checkIndexed(spec: JobSpec, place: FaultPlace): void {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const parallelismPlace = place.at("parallelism");
  const failedPlace = place.at("maxFailedIndexes");
  if (completions === undefined) place.at("completions").required("when completion mode is Indexed");
  if (parallelism > mostParallel) {
    const why = `must be less than or equal to ${mostParallel} when completion mode is Indexed`;
    parallelismPlace.invalid(parallelism, why);
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    failedPlace.invalid(maxFailedIndexes, "must be less than or equal to completions");
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > mostFailedIndexes) {
    failedPlace.invalid(maxFailedIndexes, `must be less than or equal to ${mostFailedIndexes}`);
  }
  if ((completions ?? 0) <= manyCompletions || spec.backoffLimitPerIndex === undefined) return;
  const why = `must be less than or equal to ${fewer} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    failedPlace.required(`must be specified when completions is above ${manyCompletions}`);
  }
  if (parallelism > fewer) parallelismPlace.invalid(parallelism, why);
  if (maxFailedIndexes !== undefined && maxFailedIndexes > fewer) failedPlace.invalid(maxFailedIndexes, why);
}

function checkNotIndexed(spec: JobSpec, place: FaultPlace): void {
  for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    const value = spec[field];
    if (value !== undefined) place.at(field).invalid(value, "requires indexed completion mode");
  }
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const exitCodeOperators = ["In", "NotIn"];
const conditionStatuses = ["False", "True", "Unknown"];
/** As Go prints a list of texts. */
const listed = (words: readonly string[]) => `valid values: [${words.map(quote).join(" ")}]`;

function checkFailurePolicy(spec: JobSpec, place: FaultPlace): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPlace = place.at("rules");
  if (rules.length > mostRules) rulesPlace.tooMany(rules.length, mostRules);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  for (const [i, rule] of rules.entries()) {
    const rulePlace = rulesPlace.item(i);
    checkAction(rule.action, rulePlace.at("action"), spec);
    const { onExitCodes, onPodConditions = [] } = rule;
    if (onExitCodes !== undefined) checkExitCodes(onExitCodes, rulePlace.at("onExitCodes"), names);
    if (onPodConditions.length > 0) checkConditions(onPodConditions, rulePlace.at("onPodConditions"));
    if (onExitCodes !== undefined && onPodConditions.length > 0) {
      rulePlace.invalidUntold("specifying both OnExitCodes and OnPodConditions is not supported");
    }
    if (onExitCodes === undefined && onPodConditions.length === 0) {
      rulePlace.invalidUntold("specifying one of OnExitCodes and OnPodConditions is required");
    }
  }
}

function checkAction(action: string, place: FaultPlace, { backoffLimitPerIndex }: JobSpec): void {
  if (isAbsent(action)) place.required(listed(actions));
  else if (!actions.includes(action)) place.notSupported(action, actions);
  else if (action === "FailIndex" && backoffLimitPerIndex === undefined) {
    place.invalid(action, "requires the backoffLimitPerIndex to be set");
  }
}

function checkConditions(patterns: readonly batchv1.PodFailurePolicyOnPodConditionsPattern[], place: FaultPlace): void {
  if (patterns.length > mostRules) place.tooMany(patterns.length, mostRules);
  for (const [i, { type = "", status = "" }] of patterns.entries()) {
    place.item(i).at("type").invalidFor(type, validateQualifiedName(type));
    const statusPlace = place.item(i).at("status");
    if (status === "") statusPlace.required(listed(conditionStatuses));
    else if (!conditionStatuses.includes(status)) statusPlace.notSupported(status, conditionStatuses);
  }
}

function checkExitCodes(
  { operator, containerName, ...codes }: batchv1.PodFailurePolicyOnExitCodesRequirement,
  place: FaultPlace,
  names: ReadonlySet<string>,
): void {
  if (isAbsent(operator)) place.at("operator").required(listed(exitCodeOperators));
  else if (!exitCodeOperators.includes(operator)) place.at("operator").notSupported(operator, exitCodeOperators);
  if (containerName !== undefined && !names.has(containerName)) {
    const why = "must be one of the container or initContainer names in the pod template";
    place.at("containerName").invalid(containerName, why);
  }
  const values = codes.values ?? [];
  const valuesPlace = place.at("values");
  if (values.length === 0) valuesPlace.invalid(codes.values ?? null, "at least one value is required");
  else if (values.length > mostExitCodes) valuesPlace.tooMany(values.length, mostExitCodes);
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0) valuesPlace.item(i).invalid(value, "must not be 0 for the In operator");
    if (seen.has(value)) valuesPlace.item(i).duplicate(value);
    seen.add(value);
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) valuesPlace.invalid(values, "must be ordered");
}

function checkSuccessPolicy(spec: JobSpec, place: FaultPlace): void {
  if (spec.completionMode !== "Indexed") {
    place.invalid(internalForm(spec.successPolicy, "SuccessPolicy"), "requires indexed completion mode");
    return;
  }
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPlace = place.at("rules");
  if (rules.length === 0) {
    rulesPlace.required("at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > mostRules) rulesPlace.tooMany(rules.length, mostRules);
  for (const [i, rule] of rules.entries()) checkSuccessRule(rule, rulesPlace.item(i), spec.completions ?? 0);
}

function checkSuccessRule(
  { succeededCount: count, succeededIndexes: indexes }: batchv1.SuccessPolicyRule,
  place: FaultPlace,
  completions: number,
): void {
  if (count === undefined && indexes === undefined) {
    place.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = 0;
  if (indexes !== undefined) {
    const indexesPlace = place.at("succeededIndexes");
    if (indexes.length > longestIndexes) indexesPlace.tooLong(longestIndexes);
    const parsed = parseIndexes(indexes, completions);
    if (typeof parsed === "string") indexesPlace.invalid(indexes, `error parsing succeededIndexes: ${parsed}`);
    else total = countIndexes(parsed);
  }
  if (count === undefined) return;
  const countPlace = place.at("succeededCount");
  const atMost = (most: number, what: string) => `must be less than or equal to ${most} (the number of ${what})`;
  checkNonNegative(count, countPlace);
  if (count > completions) countPlace.invalid(count, atMost(completions, "specified completions"));
  if (indexes !== undefined && count > total) {
    countPlace.invalid(count, atMost(total, "indexes in the specified succeededIndexes field"));
  }
}

/** A Job's pods end; the default of all other pods does not fit. */
function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, place: FaultPlace): void {
  const { restartPolicy = "" } = template.spec;
  if (restartPolicy === "" || restartPolicy === "Always") {
    place.required('valid values: "OnFailure", "Never"');
  } else if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    place.notSupported(restartPolicy, ["OnFailure", "Never"]);
  } else if (podFailurePolicy !== undefined && restartPolicy !== "Never") {
    place.invalid(restartPolicy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
