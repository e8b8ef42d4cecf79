// A container that has ended does not run again, unless it may be restarted: by its pod's policy, its own, or a rule about its exit
// code; or all of them, by a rule of one of them.
import type { corev1 } from "@kubeloop/core/api";
import { isSidecar } from "../../pod-spec/visit-containers.ts";
import type { ValidationPath } from "../../shared/validation-path.ts";

type Pod = corev1.Pod;

export function checkTransitions(pod: Pod, old: Pod, fldPath: ValidationPath): void {
  const { spec } = old;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const canRestartAll = containers.some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
  if (!canRestartAll) {
    for (const [list, specs] of [
      ["containerStatuses", spec.containers],
      ["initContainerStatuses", spec.initContainers],
    ] as const) {
      const byName = firstByName(specs);
      const mayRestart = (name: string, exitCode: number) => {
        const container = byName.get(name);
        return container !== undefined && canRestart(container, spec, exitCode);
      };
      checkStatuses(pod.status?.[list], old.status?.[list], fldPath.at(list), mayRestart);
    }
  }
  const list = "ephemeralContainerStatuses";
  checkStatuses(pod.status?.[list], old.status?.[list], fldPath.at(list), () => false);
}

function checkStatuses(
  statuses: readonly corev1.ContainerStatus[] | undefined,
  old: readonly corev1.ContainerStatus[] | undefined,
  fldPath: ValidationPath,
  mayRestart: (name: string, exitCode: number) => boolean,
): void {
  const byName = firstByName(statuses);
  for (const [i, { name, state }] of (old ?? []).entries()) {
    const ended = state?.terminated;
    if (ended === undefined) continue;
    const now = byName.get(name);
    if (now === undefined || now.state?.terminated !== undefined || mayRestart(name, ended.exitCode)) continue;
    fldPath.item(i).at("state").forbidden("may not be transitioned to non-terminated state");
  }
}

function firstByName<T extends { readonly name: string }>(items: readonly T[] | undefined): ReadonlyMap<string, T> {
  return new Map([...(items ?? [])].reverse().map((item) => [item.name, item]));
}

function canRestart(container: corev1.Container, spec: corev1.PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    if (exitCodes === undefined) continue;
    const isListed = (exitCodes.values ?? []).includes(exitCode);
    const matches = exitCodes.operator === "In" ? isListed : exitCodes.operator === "NotIn" && !isListed;
    if (matches && action === "Restart") return true;
  }
  if (isSidecar(container)) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
