// NodeDeclaredFeatures: what a pod uses and not every kubelet can do must be among the features that the node declares.
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { Plugin, Refusal } from "../framework/plugin.ts";

const name = "NodeDeclaredFeatures";
const refusal: Refusal = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match Pod's required features"],
};

export const nodeDeclaredFeatures: Plugin = {
  name,
  preFilter: ({ pod: { pod } }) => {
    const required = featuresOf(pod);
    if (required.length === 0) return undefined;
    return {
      filter: {
        filter: ({ node }) =>
          required.every((feature) => node.status?.declaredFeatures?.includes(feature)) ? undefined : refusal,
      },
    };
  },
};

/** Returns the features that a node must have so that the pod can run there. */
export function featuresOf({ spec }: Pod): readonly string[] {
  const { containers, initContainers = [], hostNetwork, hostUsers } = spec;
  const restartsAll = [...initContainers, ...containers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
  return [
    ...(restartsAll ? ["RestartAllContainersOnContainerExits"] : []),
    ...(hostNetwork === true && hostUsers === false ? ["UserNamespacesHostNetworkSupport"] : []),
  ];
}
