// What must hold of a Job's spec, in a Job and in a CronJob's template alike.
import { type batchv1, quote, validateDns1123Subdomain, validateQualifiedName } from "@kubeloop/core/api";
import { checkTemplate } from "../pod-spec/check-template.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { checkNonNegative, checkOptionalChoice, isAbsent } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
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

export function checkJobSpec(spec: JobSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  for (const field of numbers) checkNonNegative(spec[field], fldPath.at(field));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    fldPath.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
  }
  if (spec.managedBy !== undefined) checkManager(spec.managedBy, fldPath.at("managedBy"));
  checkOptionalChoice(spec.completionMode, fldPath.at("completionMode"), ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") checkIndexed(spec, fldPath);
  else if (spec.completionMode === undefined || spec.completionMode === "NonIndexed") checkNotIndexed(spec, fldPath);
  if (spec.podFailurePolicy !== undefined) checkFailurePolicy(spec, fldPath.at("podFailurePolicy"));
  if (spec.successPolicy !== undefined) checkSuccessPolicy(spec, fldPath.at("successPolicy"));
  const replacements = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  checkOptionalChoice(spec.podReplacementPolicy, fldPath.at("podReplacementPolicy"), replacements);
  checkTemplate(spec.template, fldPath.at("template"), options);
  checkRestartPolicy(spec, fldPath.at("template", "spec", "restartPolicy"));
}

/** A domain and a path: "acme.io/foo". */
function checkManager(name: string, fldPath: ValidationPath): void {
  const slash = name.indexOf("/");
  const [host, path] = [name.slice(0, slash), name.slice(slash + 1)];
  if (name === "") {
    fldPath.required();
  } else if (slash <= 0 || path === "") {
    fldPath.invalid(name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    fldPath.invalidFor(host, validateDns1123Subdomain(host));
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
      fldPath.invalid(path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
    }
  }
  if (Buffer.byteLength(name) > longestManager) fldPath.tooLong(longestManager);
}

function checkIndexed(spec: JobSpec, fldPath: ValidationPath): void {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const parallelismPath = fldPath.at("parallelism");
  const failedPath = fldPath.at("maxFailedIndexes");
  if (completions === undefined) fldPath.at("completions").required("when completion mode is Indexed");
  if (parallelism > mostParallel) {
    const why = `must be less than or equal to ${mostParallel} when completion mode is Indexed`;
    parallelismPath.invalid(parallelism, why);
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    failedPath.invalid(maxFailedIndexes, "must be less than or equal to completions");
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > mostFailedIndexes) {
    failedPath.invalid(maxFailedIndexes, `must be less than or equal to ${mostFailedIndexes}`);
  }
  if ((completions ?? 0) <= manyCompletions || spec.backoffLimitPerIndex === undefined) return;
  const why = `must be less than or equal to ${fewer} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    failedPath.required(`must be specified when completions is above ${manyCompletions}`);
  }
  if (parallelism > fewer) parallelismPath.invalid(parallelism, why);
  if (maxFailedIndexes !== undefined && maxFailedIndexes > fewer) failedPath.invalid(maxFailedIndexes, why);
}

function checkNotIndexed(spec: JobSpec, fldPath: ValidationPath): void {
  for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
    const value = spec[field];
    if (value !== undefined) fldPath.at(field).invalid(value, "requires indexed completion mode");
  }
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const exitCodeOperators = ["In", "NotIn"];
const conditionStatuses = ["False", "True", "Unknown"];
/** As Go prints a list of texts. */
const listed = (words: readonly string[]) => `valid values: [${words.map(quote).join(" ")}]`;

function checkFailurePolicy(spec: JobSpec, fldPath: ValidationPath): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = fldPath.at("rules");
  if (rules.length > mostRules) rulesPath.tooMany(rules.length, mostRules);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  for (const [i, rule] of rules.entries()) {
    const rulePath = rulesPath.item(i);
    checkAction(rule.action, rulePath.at("action"), spec);
    const { onExitCodes, onPodConditions = [] } = rule;
    if (onExitCodes !== undefined) checkExitCodes(onExitCodes, rulePath.at("onExitCodes"), names);
    if (onPodConditions.length > 0) checkConditions(onPodConditions, rulePath.at("onPodConditions"));
    if (onExitCodes !== undefined && onPodConditions.length > 0) {
      rulePath.invalidWithoutValue("specifying both OnExitCodes and OnPodConditions is not supported");
    }
    if (onExitCodes === undefined && onPodConditions.length === 0) {
      rulePath.invalidWithoutValue("specifying one of OnExitCodes and OnPodConditions is required");
    }
  }
}

function checkAction(action: string, fldPath: ValidationPath, { backoffLimitPerIndex }: JobSpec): void {
  if (isAbsent(action)) fldPath.required(listed(actions));
  else if (!actions.includes(action)) fldPath.notSupported(action, actions);
  else if (action === "FailIndex" && backoffLimitPerIndex === undefined) {
    fldPath.invalid(action, "requires the backoffLimitPerIndex to be set");
  }
}

function checkConditions(
  patterns: readonly batchv1.PodFailurePolicyOnPodConditionsPattern[],
  fldPath: ValidationPath,
): void {
  if (patterns.length > mostRules) fldPath.tooMany(patterns.length, mostRules);
  for (const [i, { type = "", status = "" }] of patterns.entries()) {
    fldPath.item(i).at("type").invalidFor(type, validateQualifiedName(type));
    const statusPath = fldPath.item(i).at("status");
    if (status === "") statusPath.required(listed(conditionStatuses));
    else if (!conditionStatuses.includes(status)) statusPath.notSupported(status, conditionStatuses);
  }
}

function checkExitCodes(
  { operator, containerName, ...codes }: batchv1.PodFailurePolicyOnExitCodesRequirement,
  fldPath: ValidationPath,
  names: ReadonlySet<string>,
): void {
  if (isAbsent(operator)) fldPath.at("operator").required(listed(exitCodeOperators));
  else if (!exitCodeOperators.includes(operator)) fldPath.at("operator").notSupported(operator, exitCodeOperators);
  if (containerName !== undefined && !names.has(containerName)) {
    const why = "must be one of the container or initContainer names in the pod template";
    fldPath.at("containerName").invalid(containerName, why);
  }
  const values = codes.values ?? [];
  const valuesPath = fldPath.at("values");
  if (values.length === 0) valuesPath.invalid(codes.values ?? null, "at least one value is required");
  else if (values.length > mostExitCodes) valuesPath.tooMany(values.length, mostExitCodes);
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (operator === "In" && value === 0) valuesPath.item(i).invalid(value, "must not be 0 for the In operator");
    if (seen.has(value)) valuesPath.item(i).duplicate(value);
    seen.add(value);
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) valuesPath.invalid(values, "must be ordered");
}

function checkSuccessPolicy(spec: JobSpec, fldPath: ValidationPath): void {
  if (spec.completionMode !== "Indexed") {
    fldPath.invalid(internalForm(spec.successPolicy, "SuccessPolicy"), "requires indexed completion mode");
    return;
  }
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = fldPath.at("rules");
  if (rules.length === 0) {
    rulesPath.required("at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.length > mostRules) rulesPath.tooMany(rules.length, mostRules);
  for (const [i, rule] of rules.entries()) checkSuccessRule(rule, rulesPath.item(i), spec.completions ?? 0);
}

function checkSuccessRule(
  { succeededCount: count, succeededIndexes: indexes }: batchv1.SuccessPolicyRule,
  fldPath: ValidationPath,
  completions: number,
): void {
  if (count === undefined && indexes === undefined) {
    fldPath.required("at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = 0;
  if (indexes !== undefined) {
    const indexesPath = fldPath.at("succeededIndexes");
    if (indexes.length > longestIndexes) indexesPath.tooLong(longestIndexes);
    const parsed = parseIndexes(indexes, completions);
    if (typeof parsed === "string") indexesPath.invalid(indexes, `error parsing succeededIndexes: ${parsed}`);
    else total = countIndexes(parsed);
  }
  if (count === undefined) return;
  const countPath = fldPath.at("succeededCount");
  const atMost = (most: number, what: string) => `must be less than or equal to ${most} (the number of ${what})`;
  checkNonNegative(count, countPath);
  if (count > completions) countPath.invalid(count, atMost(completions, "specified completions"));
  if (indexes !== undefined && count > total) {
    countPath.invalid(count, atMost(total, "indexes in the specified succeededIndexes field"));
  }
}

/** A Job's pods end; the default of all other pods does not fit. */
function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, fldPath: ValidationPath): void {
  const { restartPolicy = "" } = template.spec;
  if (restartPolicy === "" || restartPolicy === "Always") {
    fldPath.required('valid values: "OnFailure", "Never"');
  } else if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    fldPath.notSupported(restartPolicy, ["OnFailure", "Never"]);
  } else if (podFailurePolicy !== undefined && restartPolicy !== "Never") {
    fldPath.invalid(restartPolicy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
