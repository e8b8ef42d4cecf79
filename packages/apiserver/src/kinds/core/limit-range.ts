// LimitRange: the least and the most a pod, a container or a claim may ask for, and what it gets when it asks for nothing.
import {
  compareQuantities,
  type corev1,
  quantityMilliValue,
  quantityValue,
  validateQualifiedName,
} from "@kubeloop/core/api";
import { limitRanges } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { isAbsent } from "../shared/checks.ts";
import { own } from "../shared/own.ts";
import { type ResourceList, roundResourceList } from "../shared/quantities.ts";
import { checkContainerResourceName, checkResourceName, isOvercommitAllowed } from "../shared/resource-names.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Limit = corev1.LimitRangeItem;

const standardTypes = ["Pod", "Container", "PersistentVolumeClaim"];
const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export const limitRangeRules: KindRules<corev1.LimitRange> = {
  resource: limitRanges,
  metadataOnUpdate: ["whole"],
  createsOnUpdate: true,
  defaults(draft) {
    for (const limit of draft.spec?.limits ?? []) setLimitDefaults(limit);
  },
  prepareCreate({ metadata }) {
    // Any name that nobody else has; the uid is one.
    if (isAbsent(metadata.name) && metadata.uid !== undefined) metadata.name = metadata.uid;
  },
  validate: (range) => collectFaults("spec", (fldPath) => checkLimits(range.spec?.limits ?? [], fldPath.at("limits"))),
};

/** Containers get the most there may be, and ask for what they get, or else for the least. */
function setLimitDefaults(limit: Draft<Limit>): void {
  for (const list of lists) roundResourceList(limit[list]);
  if (limit.type !== "Container") return;
  const byDefault = { ...limit.max, ...limit.default };
  const requested = { ...limit.min, ...byDefault, ...limit.defaultRequest };
  setList(limit, "default", byDefault);
  setList(limit, "defaultRequest", requested);
}

function setList(limit: Draft<Limit>, name: "default" | "defaultRequest", list: Record<string, string>): void {
  if (Object.keys(list).length > 0) limit[name] = list;
}

function checkLimits(limits: readonly Limit[], fldPath: ValidationPath): void {
  const seen = new Set<string>();
  for (const [i, limit] of limits.entries()) {
    const limitPath = fldPath.item(i);
    checkType(limit.type, limitPath.at("type"));
    if (seen.has(limit.type)) limitPath.at("type").duplicate(limit.type);
    seen.add(limit.type);
    checkLists(limit, limitPath);
    for (const name of namesIn(limit)) checkAmounts(name, limit, limitPath);
  }
}

function checkType(type: string, fldPath: ValidationPath): void {
  const reasons = validateQualifiedName(type);
  fldPath.invalidFor(type, reasons);
  if (reasons.length > 0 || type.includes("/") || standardTypes.includes(type)) return;
  fldPath.invalid(type, "must be a standard limit type or fully qualified");
}

function checkLists(limit: Limit, fldPath: ValidationPath): void {
  const check = limit.type === "Pod" || limit.type === "Container" ? checkContainerResourceName : checkResourceName;
  const checkNames = (list: (typeof lists)[number]) => {
    for (const name of Object.keys(limit[list] ?? {})) check(name, fldPath.at(list).item(name));
  };
  checkNames("max");
  checkNames("min");
  for (const list of ["default", "defaultRequest"] as const) {
    if (limit.type !== "Pod") checkNames(list);
    else if (Object.keys(limit[list] ?? {}).length > 0) {
      fldPath.at(list).forbidden("may not be specified when `type` is 'Pod'");
    }
  }
  if (limit.type === "PersistentVolumeClaim") checkStorageBounds(limit, fldPath.at("limits"));
  checkNames("maxLimitRequestRatio");
}

function checkStorageBounds({ min, max }: Limit, fldPath: ValidationPath): void {
  if (min?.["storage"] !== undefined || max?.["storage"] !== undefined) return;
  fldPath.required("either minimum or maximum storage value is required, but neither was provided");
}

function namesIn(limit: Limit): ReadonlySet<string> {
  return new Set(lists.filter((list) => isCompared(limit, list)).flatMap((list) => Object.keys(limit[list] ?? {})));
}

/** What a pod may not have is not compared either. */
const isCompared = ({ type }: Limit, list: (typeof lists)[number]) => type !== "Pod" || !list.startsWith("default");

interface Order {
  /** Must not be more than the other one. */
  readonly lower: readonly [list: keyof typeof words, amount: string | undefined];
  readonly upper: readonly [list: keyof typeof words, amount: string | undefined];
  /** Where it is reported, and what is shown as wrong. */
  readonly at: "min" | "default" | "defaultRequest";
  readonly shown: "lower" | "upper";
}

const words = {
  min: "min value",
  max: "max value",
  default: "default value",
  defaultLimit: "default limit value",
  defaultRequest: "default request value",
} as const;

function checkAmounts(name: string, limit: Limit, fldPath: ValidationPath): void {
  const amount = (list: (typeof lists)[number]) => (isCompared(limit, list) ? own(limit[list], name) : undefined);
  const min = ["min", amount("min")] as const;
  const max = ["max", amount("max")] as const;
  const byDefault = ["default", amount("default")] as const;
  const requested = ["defaultRequest", amount("defaultRequest")] as const;
  const orders: readonly Order[] = [
    { lower: min, upper: max, at: "min", shown: "lower" },
    { lower: min, upper: requested, at: "defaultRequest", shown: "upper" },
    { lower: requested, upper: max, at: "defaultRequest", shown: "lower" },
    { lower: requested, upper: ["defaultLimit", byDefault[1]], at: "defaultRequest", shown: "lower" },
    { lower: min, upper: byDefault, at: "default", shown: "lower" },
    { lower: byDefault, upper: max, at: "default", shown: "upper" },
  ];
  for (const order of orders) checkOrder(name, order, fldPath);
  checkRatio(name, limit, fldPath.at("maxLimitRequestRatio").item(name));
  const [[, given], [, asked]] = [byDefault, requested];
  if (given === undefined || asked === undefined || isOvercommitAllowed(name)) return;
  if (compareQuantities(given, asked) === 0) return;
  const why = `default value ${given} must equal to defaultRequest value ${asked} in ${name}`;
  fldPath.at("defaultRequest").item(name).invalid(asked, why);
}

function checkOrder(name: string, { lower, upper, at, shown }: Order, fldPath: ValidationPath): void {
  const [lowerList, low] = lower;
  const [upperList, high] = upper;
  if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return;
  const why = `${words[lowerList]} ${low} is greater than ${words[upperList]} ${high}`;
  fldPath
    .at(at)
    .item(name)
    .invalid(shown === "lower" ? low : high, why);
}

function checkRatio(name: string, { min, max, maxLimitRequestRatio }: Limit, fldPath: ValidationPath): void {
  const ratio = own(maxLimitRequestRatio, name);
  if (ratio === undefined) return;
  if (compareQuantities(ratio, "1") < 0) fldPath.invalid(ratio, `ratio ${ratio} is less than 1`);
  const largest = largestRatio(own(min, name), own(max, name));
  if (largest === undefined || Number(quantityMilliValue(ratio)) / 1000 <= largest) return;
  fldPath.invalid(ratio, `ratio ${ratio} is greater than max/min = ${printFloat(largest)}`);
}

function largestRatio(
  min: ResourceList[string] | undefined,
  max: ResourceList[string] | undefined,
): number | undefined {
  if (min === undefined || max === undefined) return undefined;
  // What is too large to count in thousandths is counted whole.
  const isHuge = quantityValue(min) > maxMilli || quantityValue(max) > maxMilli;
  const amountOf = isHuge ? quantityValue : quantityMilliValue;
  return Number(amountOf(max)) / Number(amountOf(min));
}

const maxMilli = (2n ** 63n - 1n) / 1000n;

/** As %f. */
function printFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? value.toFixed(6) : "+Inf";
}
