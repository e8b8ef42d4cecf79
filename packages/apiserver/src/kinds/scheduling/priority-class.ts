// PriorityClass: how important pods of this class are. What a class is worth never changes, and a few belong to the system.
import type { schedulingv1 } from "@kubeloop/core/api";
import { priorityClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkChoice } from "../shared/checks.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { own } from "../shared/own.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";

type PriorityClass = schedulingv1.PriorityClass;

const systemPrefix = "system-";
const highestOfUsers = 1_000_000_000;
const systemValues: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

export const priorityClassRules: KindRules<PriorityClass> = {
  resource: priorityClasses,
  // Nothing that could change counts.
  generation: () => false,
  defaults(draft) {
    draft.preemptionPolicy ??= "PreemptLowerPriority";
  },
  validate: (object) => collectObjectFaults((at) => checkPriorityClass(object, at)),
  validateUpdate: (object, old) =>
    collectObjectFaults((at) => {
      if (object.value !== old.value) at("value").forbidden("may not be changed in an update.");
      checkImmutable(object.preemptionPolicy, old.preemptionPolicy, at("preemptionPolicy"));
    }),
  deletion: {
    forbids: ({ metadata }) =>
      own(systemValues, metadata.name ?? "") === undefined
        ? undefined
        : "this is a system priority class and cannot be deleted",
  },
  printRow: ({ metadata, value, globalDefault, preemptionPolicy }, { nowMs }) => [
    metadata.name,
    value,
    globalDefault ?? false,
    printAge(metadata.creationTimestamp, nowMs),
    preemptionPolicy ?? "",
  ],
};

function checkPriorityClass(object: PriorityClass, at: ObjectPaths): void {
  const { metadata, value, preemptionPolicy } = object;
  if ((metadata.name ?? "").startsWith(systemPrefix)) {
    const fault = systemFault(object);
    if (fault !== undefined) {
      const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${fault}`;
      at("metadata").at("name").forbidden(why);
    }
  } else if ((value ?? 0) > highestOfUsers) {
    at("value").forbidden(`maximum allowed value of a user defined priority is ${highestOfUsers}`);
  }
  if (preemptionPolicy !== undefined) {
    checkChoice(preemptionPolicy, at("preemptionPolicy"), ["PreemptLowerPriority", "Never"]);
  }
}

/** Why it is none of those the system has. */
function systemFault({ metadata, value, globalDefault = false }: PriorityClass): string | undefined {
  const name = metadata.name ?? "";
  const expected = own(systemValues, name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
