// Fields of features that a default server has switched off. They are dropped in silence, unless what is stored uses them already.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { allContainers, containerLists } from "./visit-containers.ts";

/** In place. `old` is the spec as it is stored. */
export function dropDisabledFields(spec: Draft<corev1.PodSpec>, old?: corev1.PodSpec): void {
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  dropProjections(spec, old, "clusterTrustBundle");
  dropProjections(spec, old, "podCertificate");
  if (old === undefined || !allContainers(old).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)) {
    dropStopSignals(spec);
  }
}

function dropProjections(
  spec: Draft<corev1.PodSpec>,
  old: corev1.PodSpec | undefined,
  field: "clusterTrustBundle" | "podCertificate",
): void {
  const inUse = (old?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some((source) => source[field] !== undefined),
  );
  if (inUse) return;
  for (const { projected } of spec.volumes ?? []) for (const source of projected?.sources ?? []) delete source[field];
}

function dropStopSignals(spec: Draft<corev1.PodSpec>): void {
  for (const container of containerLists.flatMap((list) => spec[list] ?? [])) {
    const { lifecycle } = container;
    if (lifecycle?.stopSignal === undefined) continue;
    delete lifecycle.stopSignal;
    if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
  }
}
