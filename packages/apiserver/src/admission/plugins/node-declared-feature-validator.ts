// NodeDeclaredFeatureValidator: a pod on a node is not changed in a way that its node does not say it can follow.
import { type corev1, quote, semanticEqual } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

/** Of those that nodes declare, the ones that a change of a pod can need, in upstream's order. */
const needs: readonly (readonly [
  feature: string,
  isNeeded: (before: corev1.PodSpec, after: corev1.PodSpec) => boolean,
])[] = [
  [
    "InPlacePodLevelResourcesVerticalScaling",
    (before, after) => !semanticEqual(before.resources ?? null, after.resources ?? null),
  ],
  [
    "InPlacePodVerticalScalingInitContainers",
    ({ initContainers: before = [] }, { initContainers: after = [] }) =>
      before.some(
        ({ restartPolicy, resources = {} }, index) =>
          restartPolicy !== "Always" && !deepEqual(resources, after[index]?.resources ?? {}),
      ),
  ],
];

export function nodeDeclaredFeatureValidator({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "NodeDeclaredFeatureValidator",
    handles: ["UPDATE"],
    resources: ["pods"],
    async validate(attributes) {
      const { subresource, object, oldObject } = attributes;
      if (subresource !== "" && subresource !== "resize") return;
      const [before, after] = [oldObject as corev1.Pod, object as unknown as corev1.Pod];
      const nodeName = after.spec?.nodeName ?? "";
      if (nodeName === "" || before.metadata.generation === after.metadata.generation) return;
      const needed = needs
        .filter(([, isNeeded]) => isNeeded(specOf(before), specOf(after)))
        .map(([feature]) => feature);
      if (needed.length === 0) return;
      const node = (await storage.get({ collection: "nodes", key: nodeName })) as corev1.Node | undefined;
      if (node === undefined) throw admissionForbidden(attributes, `node ${quote(nodeName)} not found`);
      const lacking = needed.filter((feature) => node.status?.declaredFeatures?.includes(feature) !== true);
      if (lacking.length === 0) return;
      const detail = `pod update requires features ${lacking.join(", ")} which are not available on node ${quote(nodeName)}`;
      throw admissionForbidden(attributes, detail);
    },
  };
}

const specOf = ({ spec }: corev1.Pod): corev1.PodSpec => spec ?? { containers: [] };
