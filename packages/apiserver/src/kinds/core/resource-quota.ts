// ResourceQuota: how much a namespace may use in all, of everything or of what is in scope.
import { compareQuantities, type corev1 } from "@kubeloop/core/api";
import { resourceQuotas } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkResourceQuantity, type ResourceList, roundResourceList } from "../shared/quantities.ts";
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
  validate: (quota) => collectFaults("spec", (place) => checkSpec(quota.spec ?? {}, place)),
  validateUpdate: (quota, old) =>
    collectFaults("spec", (place) => {
      const { spec = {} } = quota;
      checkSpec(spec, place);
      if (!isSameSet(spec.scopes, old.spec?.scopes))
        place.at("scopes").invalid(spec.scopes ?? null, "field is immutable");
    }),
  warnings: (quota, old) => (old === undefined ? requestWarnings(quota.spec?.hard ?? {}) : []),
  subresources: {
    status: {
      prepareUpdate: keepSpec,
      validateUpdate: ({ status = {} }) =>
        collectFaults("status", (place) => {
          checkAmounts(status.hard, place.at("hard"));
          checkAmounts(status.used, place.at("used"));
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

function checkSpec(spec: corev1.ResourceQuotaSpec, place: FaultPlace): void {
  checkAmounts(spec.hard, place.at("hard"));
  checkScopes(spec, place.at("scopes"));
  checkScopeSelector(spec, place.at("scopeSelector"));
}

function checkAmounts(list: ResourceList | undefined, place: FaultPlace): void {
  for (const [name, amount] of Object.entries(list ?? {})) {
    checkQuotaResourceName(name, place.item(name));
    checkResourceQuantity(name, amount, place.item(name));
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
