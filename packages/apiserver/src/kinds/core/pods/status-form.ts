// The status of a pod in its one form: the first of its addresses stands in two places, amounts are no finer than a thousandth, and
// fields of features that are switched off are gone.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { roundResourceList } from "../../shared/quantities.ts";

type PodStatus = Draft<corev1.PodStatus>;

const statusLists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** In place; done twice it changes nothing. */
export function setStatusForm(status: PodStatus): void {
  useBothAddresses(status);
  for (const container of statusLists.flatMap((list) => status[list] ?? [])) {
    roundResourceList(container.allocatedResources);
    roundResourceList(container.resources?.limits);
    roundResourceList(container.resources?.requests);
  }
  roundResourceList(status.allocatedResources);
  roundResourceList(status.resources?.limits);
  roundResourceList(status.resources?.requests);
}

/** The single address is older, and wins where both are given. */
function useBothAddresses(status: PodStatus): void {
  const { podIP = "", podIPs = [] } = status;
  const first = podIPs[0]?.ip;
  if (podIP !== "" && podIP !== first) status.podIPs = [{ ip: podIP }];
  else if (first !== undefined) status.podIP = first;
}

export function dropDisabledStatus(status: PodStatus, old: corev1.PodStatus | undefined): void {
  if ((old?.nodeAllocatableResourceClaimStatuses ?? []).length === 0) {
    delete status.nodeAllocatableResourceClaimStatuses;
  }
  const inUse = statusLists
    .flatMap((list) => old?.[list] ?? [])
    .some(({ volumeMounts = [] }) => volumeMounts.some(({ volumeStatus }) => volumeStatus !== undefined));
  if (inUse) return;
  for (const { volumeMounts = [] } of statusLists.flatMap((list) => status[list] ?? [])) {
    for (const mount of volumeMounts) delete mount.volumeStatus;
  }
}
