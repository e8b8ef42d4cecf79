// Containers that are added to a running pod to look into it. They come and never change nor go.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kind-rules.ts";
import { mirrorAnnotation } from "../../pod-spec/check-template.ts";
import { dropDisabledFields } from "../../pod-spec/drop-disabled.ts";
import { isSame } from "../../shared/same.ts";
import { collectFaults } from "../../shared/validation-path.ts";
import { checkPod, placesOf, podOptions } from "./check-pod.ts";
import { checkChangedAnnotations } from "./check-update.ts";
import { internalDiff } from "./internal-diff.ts";
import { keepAllBut } from "./keep-metadata.ts";

type Pod = corev1.Pod;

/** Of what was sent, only these containers count. */
export function prepareEphemeralContainers(pod: Draft<Pod>, old: Pod): void {
  const { ephemeralContainers } = pod.spec;
  const { ephemeralContainers: _, ...rest } = old.spec as Draft<corev1.PodSpec>;
  const spec = ephemeralContainers === undefined ? rest : { ...rest, ephemeralContainers };
  dropDisabledFields(spec, old.spec);
  keepAllBut(pod, old, spec);
}

export function ephemeralContainerFaults(pod: Pod, old: Pod) {
  if (Object.hasOwn(old.metadata.annotations ?? {}, mirrorAnnotation)) {
    return collectFaults("spec", (fldPath) =>
      fldPath.whole.forbidden("static pods do not support ephemeral containers"),
    );
  }
  return collectFaults("spec", (fldPath) => {
    const fldPaths = placesOf(fldPath);
    const options = podOptions(old);
    checkPod(pod, fldPaths, options);
    checkChangedAnnotations(pod, old, fldPaths.annotations, options);
    const byName = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
    const listPath = fldPath.at("ephemeralContainers");
    for (const before of old.spec.ephemeralContainers ?? []) {
      const after = byName.get(before.name);
      if (after === undefined) {
        listPath.forbidden(`existing ephemeral containers "${before.name}" may not be removed\n`);
      } else if (!isSame(after, before, "io.k8s.api.core.v1.EphemeralContainer")) {
        const diff = internalDiff(before, after, "EphemeralContainer");
        listPath.forbidden(`existing ephemeral containers "${before.name}" may not be changed\n${diff}`);
      }
    }
  });
}
