// Pods. Almost all of a pod is fixed when it is made; nodes tell its status; containers to look into it and what it gets of cpu and
// memory come through subresources of their own; and it is deleted in its own time.
import type { corev1 } from "@kubeloop/core/api";
import { childPath, fieldPath, itemPath } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { setPodDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { nameWarnings, podWarnings } from "../pod-spec/warnings.ts";
import { ipWarnings } from "../shared/ip-address.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults } from "../shared/validation-path.ts";
import { checkNewPod, placesOf } from "./pods/check-pod.ts";
import { checkPodStatus } from "./pods/check-status.ts";
import { checkChangedPod, podSpecSchema } from "./pods/check-update.ts";
import { ephemeralContainerFaults, prepareEphemeralContainers } from "./pods/ephemeral-containers.ts";
import { preparePod } from "./pods/prepare-create.ts";
import { podRowConditions, printPodRow } from "./pods/print-row.ts";
import { prepareResize, resizeFaults } from "./pods/resize.ts";
import { dropDisabledStatus, setStatusForm } from "./pods/status-form.ts";

type Pod = corev1.Pod;

export const podRules: KindRules<Pod> = {
  resource: pods,
  metadataOnUpdate: ["changes", "whole"],
  untouched: { status: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]] },
  defaults(pod) {
    setPodDefaults(pod);
    if (pod.status !== undefined) setStatusForm(pod.status);
  },
  prepareCreate: (pod, { nowMs }) => preparePod(pod, nowMs),
  prepareUpdate: (pod, old) => dropDisabledFields(pod.spec, old.spec),
  validate: (pod) => collectFaults("spec", (fldPath) => checkNewPod(pod, placesOf(fldPath))),
  validateUpdate: (pod, old) => collectFaults("spec", (fldPath) => checkChangedPod(pod, old, placesOf(fldPath))),
  /** Of changes nobody is warned: people do not make them. */
  warnings(pod, old) {
    if (old !== undefined) return [];
    const hostname = "this is used in the Pod's hostname, which can result in surprising behavior";
    return [...nameWarnings(pod.metadata.name, hostname), ...podWarnings(pod)];
  },
  generation: (pod, old) => !isSame(pod.spec, old.spec, podSpecSchema),
  deletion: { answersWithObject: true, gracePeriod },
  selectableFields: {
    names: [
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "spec.hostNetwork",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ],
    aliases: { "spec.host": "spec.nodeName" },
    valuesOf: ({ spec, status }) => ({
      "spec.nodeName": spec.nodeName ?? "",
      "spec.restartPolicy": spec.restartPolicy ?? "",
      "spec.schedulerName": spec.schedulerName ?? "",
      "spec.serviceAccountName": spec.serviceAccountName ?? "",
      "spec.hostNetwork": String(spec.hostNetwork ?? false),
      "status.phase": status?.phase ?? "",
      "status.podIP": status?.podIPs?.[0]?.ip ?? "",
      // May be asked for, and is never known.
      "status.podIPs": "",
      "status.nominatedNodeName": status?.nominatedNodeName ?? "",
    }),
    unknownText: (name) => `field label not supported: ${name}`,
  },
  printRow: printPodRow,
  rowConditions: podRowConditions,
  subresources: {
    status: {
      prepareUpdate: prepareStatus,
      validateUpdate: (pod, old) => collectFaults("status", (fldPath) => checkPodStatus(pod, old, fldPath)),
      warnings: ({ status }) => addressWarnings(status),
    },
    ephemeralcontainers: {
      metadataOnUpdate: ["changes", "whole"],
      prepareUpdate: prepareEphemeralContainers,
      validateUpdate: ephemeralContainerFaults,
    },
    resize: {
      metadataOnUpdate: ["changes", "whole"],
      prepareUpdate: prepareResize,
      validateUpdate: resizeFaults,
    },
  },
};

/** A pod without a node, and one that has ended, need no time to go. */
function gracePeriod({ spec, status }: Pod, askedSeconds: number | undefined): number {
  const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
  if ((spec.nodeName ?? "") === "" || isOver) return 0;
  const seconds = askedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** A node does not own the pod, nor its class of service, nor its end; and it may not forget which generation it has seen. */
function prepareStatus(pod: Draft<Pod>, old: Pod): void {
  const before = old as Draft<Pod>;
  pod.spec = before.spec;
  delete pod.metadata.deletionTimestamp;
  if (before.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
  else pod.metadata.ownerReferences = before.metadata.ownerReferences;
  pod.status ??= {};
  const { status } = pod;
  if ((status.qosClass ?? "") === "" && old.status?.qosClass !== undefined) status.qosClass = old.status.qosClass;
  if ((status.observedGeneration ?? 0) === 0 && old.status?.observedGeneration !== undefined) {
    status.observedGeneration = old.status.observedGeneration;
  }
  keepConditionGenerations(status, old.status);
  dropDisabledStatus(status, old.status);
}

/** There may be several conditions of one type: the first keeps the first's. */
function keepConditionGenerations(status: Draft<corev1.PodStatus>, old: corev1.PodStatus | undefined): void {
  const left = new Map<string, number[]>();
  for (const { type, observedGeneration = 0 } of [...(old?.conditions ?? [])].reverse()) {
    const generations = left.get(type);
    if (generations === undefined) left.set(type, [observedGeneration]);
    else generations.push(observedGeneration);
  }
  for (const condition of status.conditions ?? []) {
    const before = left.get(condition.type)?.pop() ?? 0;
    if ((condition.observedGeneration ?? 0) === 0 && before !== 0) condition.observedGeneration = before;
  }
}

function addressWarnings(status: corev1.PodStatus | undefined): string[] {
  return (["podIPs", "hostIPs"] as const).flatMap((list) =>
    (status?.[list] ?? []).flatMap(({ ip = "" }, i) =>
      ipWarnings(ip, childPath(itemPath(fieldPath("status", list), i), "ip")),
    ),
  );
}
