// Where a claim's first content comes from. The older field knows claims and snapshots only, the newer one anything; whichever is used,
// both say the same.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { isAbsent } from "../../shared/checks.ts";

type Spec = corev1.PersistentVolumeClaimSpec;

/** In place. `old` is undefined for a new claim. */
export function settleDataSources(spec: Draft<Spec>, old: Spec | undefined): void {
  // Sources in other namespaces are a feature that is off.
  if (!isAbsent(spec.dataSourceRef?.namespace) && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
  dropUnknown(spec, old);
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource };
  if (dataSourceRef !== undefined && dataSource === undefined && isAbsent(dataSourceRef.namespace)) {
    const { namespace: _none, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}

/** The older field always ignored what it did not know; what was let in once stays. */
function dropUnknown(spec: Draft<Spec>, old: Spec | undefined): void {
  if (old?.dataSource !== undefined || old?.dataSourceRef !== undefined || spec.dataSourceRef !== undefined) return;
  const { kind, apiGroup } = spec.dataSource ?? {};
  const isClaim = kind === "PersistentVolumeClaim" && isAbsent(apiGroup);
  const isSnapshot = kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
  if (!isClaim && !isSnapshot) delete spec.dataSource;
}
