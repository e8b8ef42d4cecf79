// The rules of the resourcequota controller: what the status of a quota says. How much one object uses, and which objects a quota counts, are
// rules of core (`quotaEvaluatorOf`), which an admission plugin can share.
import { type corev1, keyOf, type resourcev1 } from "@kubeloop/core/api";
import { KubeloopError, toError } from "@kubeloop/core/base";
import { type DecideContext, editStatus, type InSlices, type Plan, plan } from "@kubeloop/core/contract";
import { resourceQuotas } from "@kubeloop/core/resources";
import {
  addAmounts,
  noAmounts,
  pickAmounts,
  printAmounts,
  type QuotaContext,
  quotaScopes,
  type ResourceAmounts,
  sumQuotaUsage,
} from "@kubeloop/core/rules";
import type { CountedObjects, Observed } from "./observe.ts";

export interface DecideOptions {
  readonly withPodLevel: boolean;
}

/** In slices, because a namespace may have thousands of pods. */
export const newDecide = ({ withPodLevel }: DecideOptions) =>
  function* decide(observed: Observed, { nowMs }: DecideContext): InSlices<Plan<undefined>> {
    const { quota, counted, deviceClasses, podsByClaim } = observed;
    const podOfClaim = (claim: resourcev1.ResourceClaim) => podsByClaim.get(keyOf(claim));
    const { usage, errors } = yield* computeUsage(quota, counted, { nowMs, withPodLevel, deviceClasses, podOfClaim });
    const hard = quota.spec?.hard ?? {};
    const before = quota.status?.used ?? {};
    // What cannot be computed, and what nobody counts, stays as it was.
    const used = Object.fromEntries(
      Object.entries({ ...before, ...printAmounts(usage) }).filter(([name]) => Object.hasOwn(hard, name)),
    );
    const edit = editStatus(resourceQuotas, quota, { ...quota, status: { hard, used } });
    return plan(`usage of ${Object.keys(used).length} resources`, [[edit]], { unfinished: joined(errors) });
  };

interface Computed {
  readonly usage: ResourceAmounts;
  readonly errors: readonly Error[];
}

/** An error of one resource leaves out what only that resource could have told. */
function* computeUsage(
  quota: corev1.ResourceQuota,
  counted: readonly CountedObjects[],
  context: QuotaContext,
): InSlices<Computed> {
  const scopes = quotaScopes(quota);
  const computed = new Set(counted.flatMap(({ names }) => names));
  const errors: Error[] = [];
  let usage = noAmounts;
  for (const { evaluator, names, objects } of counted) {
    try {
      usage = addAmounts(usage, yield* sumQuotaUsage(evaluator, objects, { names, scopes, ...context }));
    } catch (error) {
      errors.push(toError(error));
      for (const name of names) computed.delete(name);
    }
  }
  return { usage: pickAmounts(usage, computed), errors };
}

function joined(errors: readonly Error[]): Error | undefined {
  if (errors.length < 2) return errors[0];
  const message = `[${errors.map((error) => error.message).join(", ")}]`;
  return new KubeloopError(message, { reason: "UsageUnknown", cause: errors[0] });
}
