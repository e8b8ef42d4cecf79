// ResourceQuota: how much a namespace may use in all, of everything or of what is in scope.
import { compareQuantities, type corev1 } from "@kubeloop/core/api";
import { resourceQuotas } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkResourceQuantity, type ResourceList, roundResourceList } from "../shared/quantities.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkQuotaResourceName } from "./quota-resources.ts";
import { checkScopeSelector, checkScopes } from "./quota-scopes.ts";

type Quota = corev1.ResourceQuota;

export const resourceQuotaRules: KindRules<Quota> = {
  resource: resourceQuotas,
  deletion: { answersWithObject: true },
  defaults({ spec, status }) {
    roundResourceList(spec?.hard);
    roundResourceList(status?.hard);
    roundResourceList(status?.used);
  },
  validate: (quota) => collectFaults("spec", (fldPath) => checkSpec(quota.spec ?? {}, fldPath)),
  validateUpdate: (quota, old) =>
    collectFaults("spec", (fldPath) => {
      const { spec = {} } = quota;
      checkSpec(spec, fldPath);
      if (!isSameSet(spec.scopes, old.spec?.scopes))
        fldPath.at("scopes").invalid(spec.scopes ?? null, "field is immutable");
    }),
  warnings: (quota, old) => (old === undefined ? requestWarnings(quota.spec?.hard ?? {}) : []),
  subresources: {
    status: {
      prepareUpdate: keepSpec,
      validateUpdate: ({ status = {} }) =>
        collectFaults("status", (fldPath) => {
          checkAmounts(status.hard, fldPath.at("hard"));
          checkAmounts(status.used, fldPath.at("used"));
        }),
    },
  },
  printRow: ({ metadata, status = {} }, { nowMs }) => {
    const names = Object.keys(status.hard ?? {}).toSorted();
    const print = (isLimit: boolean) =>
      names
        .filter((name) => name.startsWith("limits.") === isLimit)
        .map((name) => `${name}: ${own(status.used, name) ?? "0"}/${own(status.hard, name)}`)
        .join(", ");
    return [metadata.name, print(false), print(true), printAge(metadata.creationTimestamp, nowMs)];
  },
};

function keepSpec(draft: Draft<Quota>, old: Quota): void {
  if (old.spec === undefined) delete draft.spec;
  else draft.spec = old.spec as Draft<corev1.ResourceQuotaSpec>;
}

function checkSpec(spec: corev1.ResourceQuotaSpec, fldPath: ValidationPath): void {
  checkAmounts(spec.hard, fldPath.at("hard"));
  checkScopes(spec, fldPath.at("scopes"));
  checkScopeSelector(spec, fldPath.at("scopeSelector"));
}

function checkAmounts(list: ResourceList | undefined, fldPath: ValidationPath): void {
  for (const [name, amount] of Object.entries(list ?? {})) {
    checkQuotaResourceName(name, fldPath.item(name));
    checkResourceQuantity(name, amount, fldPath.item(name));
  }
}

function isSameSet(a: readonly string[] = [], b: readonly string[] = []): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((each) => right.has(each));
}

/** Who may ask for more than may be used has made a mistake. */
function requestWarnings(hard: ResourceList): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((resource) => {
    const names = [`requests.${resource}`, ...(resource === "cpu" || resource === "memory" ? [resource] : [])];
    const name = names.find((each) => hard[each] !== undefined);
    const request = name === undefined ? undefined : hard[name];
    const limit = hard[`limits.${resource}`];
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) return [];
    return [`ResourceQuota ${name} (${request}) should be less than limits.${resource} (${limit})`];
  });
}
