// What a write costs the ResourceQuotas of its namespace, or why they do not allow it. Pure: quotas and the write in, their new usage out. Usage is
// counted by the rules that the resourcequota controller has, too.
import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import {
  addAmounts,
  equalAmounts,
  exceededResources,
  matchesAllScopes,
  negativeResources,
  pickAmounts,
  printAmounts,
  type QuotaEvaluator,
  quotaEvaluatorOf,
  quotaScopes,
  type ResourceAmounts,
  type ResourceList,
  subtractToZero,
  toAmounts,
  withoutZeros,
} from "@kubeloop/core/rules";
import type { AdmissionAttributes } from "../attributes.ts";
import { admissionForbidden } from "../plugin.ts";

export interface QuotaCharge {
  readonly quota: corev1.ResourceQuota;
  /** What its status is to say instead. */
  readonly used: ResourceList;
}

/** Nothing for what no quota counts. Throws 403. */
export function chargeQuotas(
  attributes: AdmissionAttributes,
  quotas: readonly corev1.ResourceQuota[],
  nowMs: number,
): readonly QuotaCharge[] {
  const evaluator = quotas.length === 0 ? undefined : evaluatorFor(attributes);
  if (evaluator === undefined) return [];
  const object = attributes.object as KubernetesObject;
  const counting = quotas.filter((quota) => isCountedBy(quota, object, evaluator));
  for (const quota of counting) checkQuota(attributes, quota, evaluator);
  const usage = evaluator.usageOf(object, { nowMs });
  const negative = negativeResources(usage);
  if (negative.length > 0) {
    throw admissionForbidden(attributes, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  }
  return counting.flatMap((quota) => {
    const delta = withoutZeros(deltaFor(attributes, quota, usage, evaluator, nowMs));
    return delta.size === 0 ? [] : chargeOf(attributes, quota, delta);
  });
}

/** Undefined where this write is not charged. */
function evaluatorFor({ resource, operation, subresource, object, oldObject }: AdmissionAttributes) {
  const evaluator = quotaEvaluatorOf({ group: resource.group, resource: resource.resource });
  if (evaluator === undefined || object === undefined) return undefined;
  const after = object as KubernetesObject;
  const isHandled =
    oldObject === undefined
      ? operation === "CREATE" && evaluator.handles({ operation: "create", subresource, object: after })
      : operation === "UPDATE" &&
        evaluator.handles({ operation: "update", subresource, before: oldObject, object: after });
  return isHandled ? evaluator : undefined;
}

const hardNames = ({ status }: corev1.ResourceQuota) => Object.keys(status?.hard ?? {});

function isCountedBy(quota: corev1.ResourceQuota, object: KubernetesObject, evaluator: QuotaEvaluator): boolean {
  return (
    evaluator.matchingResources(hardNames(quota)).length > 0 && matchesAllScopes(evaluator, quotaScopes(quota), object)
  );
}

/** The object says what the quota must know of it, and the quota what is used already. */
function checkQuota(attributes: AdmissionAttributes, quota: corev1.ResourceQuota, evaluator: QuotaEvaluator): void {
  const name = quota.metadata.name ?? "";
  const names = evaluator.matchingResources(hardNames(quota));
  const missing = evaluator.findMissing(attributes.object as KubernetesObject, names);
  if (missing !== undefined) throw admissionForbidden(attributes, `failed quota: ${name}: ${missing}`);
  if (names.every((each) => quota.status?.used?.[each] !== undefined)) return;
  const why = `status unknown for quota: ${name}, resources: ${names.toSorted().join(",")}`;
  throw admissionForbidden(attributes, why);
}

/** Of a change, what it takes more than before, if the quota counted it before. */
function deltaFor(
  { oldObject }: AdmissionAttributes,
  quota: corev1.ResourceQuota,
  usage: ResourceAmounts,
  evaluator: QuotaEvaluator,
  nowMs: number,
): ResourceAmounts {
  if (oldObject === undefined || !isCountedBy(quota, oldObject, evaluator)) return usage;
  return subtractToZero(usage, evaluator.usageOf(oldObject, { nowMs }));
}

function chargeOf(
  attributes: AdmissionAttributes,
  quota: corev1.ResourceQuota,
  delta: ResourceAmounts,
): readonly QuotaCharge[] {
  const hard = toAmounts(quota.status?.hard);
  const used = toAmounts(quota.status?.used);
  const requested = pickAmounts(delta, hard.keys());
  const after = addAmounts(used, requested);
  const exceeded = exceededResources(pickAmounts(after, requested.keys()), hard);
  if (exceeded.length > 0 && attributes.subresource !== "status") {
    const print = (amounts: ResourceAmounts) => printSorted(pickAmounts(amounts, exceeded));
    const why = `exceeded quota: ${quota.metadata.name}, requested: ${print(requested)}, used: ${print(used)}, limited: ${print(hard)}`;
    throw admissionForbidden(attributes, why);
  }
  return equalAmounts(after, used) ? [] : [{ quota, used: printAmounts(after) }];
}

const printSorted = (amounts: ResourceAmounts) =>
  Object.entries(printAmounts(amounts))
    .map(([name, text]) => `${name}=${text}`)
    .sort()
    .join(",");
