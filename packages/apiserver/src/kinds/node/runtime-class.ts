// RuntimeClass: which runtime runs pods of this class, what it costs and on which nodes it is.
import { type corev1, fieldPath, type nodev1 } from "@kubeloop/core/api";
import { runtimeClasses } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkTolerations } from "../pod-spec/check-affinity.ts";
import { checkContainerResources } from "../pod-spec/check-resources.ts";
import { checkDnsLabel, isAbsent } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import { checkLabels } from "../shared/labels.ts";
import { collectObjectFaults, type ObjectPaths } from "../shared/object-faults.ts";
import { oldNodeLabelWarnings } from "../shared/old-node-labels.ts";
import { printAge } from "../shared/print-age.ts";
import { checkImmutable } from "../shared/same.ts";
import type { ValidationPath } from "../shared/validation-path.ts";

type RuntimeClass = nodev1.RuntimeClass;

export const runtimeClassRules: KindRules<RuntimeClass> = {
  resource: runtimeClasses,
  finalizerNames: "any",
  metadataOnUpdate: ["whole", "changes"],
  createsOnUpdate: true,
  needsVersionOnUpdate: true,
  validate: (object) => collectObjectFaults((at) => checkRuntimeClass(object, at)),
  validateUpdate: (object, old) =>
    collectObjectFaults((at) => {
      checkRuntimeClass(object, at);
      checkImmutable(object.handler, old.handler, at("handler"));
    }),
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((label) =>
      oldNodeLabelWarnings(label, fieldPath("scheduling", "nodeSelector")),
    ),
  printRow: ({ metadata, handler }, { nowMs }) => [metadata.name, handler, printAge(metadata.creationTimestamp, nowMs)],
};

function checkRuntimeClass({ handler, overhead, scheduling }: RuntimeClass, at: ObjectPaths): void {
  if (isAbsent(handler)) at("handler").required();
  else checkDnsLabel(handler, at("handler"));
  if (overhead?.podFixed !== undefined) {
    const options = { claimNames: new Set<string>(), allowsPartialHugePages: false };
    checkContainerResources({ limits: overhead.podFixed }, at("overhead"), options);
  }
  if (scheduling === undefined) return;
  const fldPath = at("scheduling");
  checkLabels(scheduling.nodeSelector, fldPath.at("nodeSelector"));
  checkDistinctTolerations(scheduling.tolerations ?? [], fldPath.at("tolerations"));
}

function checkDistinctTolerations(tolerations: readonly corev1.Toleration[], fldPath: ValidationPath): void {
  checkTolerations(tolerations, fldPath, { allowsComparingTolerations: false });
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const identity = identityOf(toleration);
    if (seen.has(identity)) fldPath.item(i).duplicate(internalForm(toleration, "Toleration"));
    seen.add(identity);
  }
}

/** The same text for tolerations that differ in nothing but for how long; what is absent is not what is empty. */
function identityOf({ tolerationSeconds: _seconds, ...rest }: corev1.Toleration): string {
  return JSON.stringify(Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
