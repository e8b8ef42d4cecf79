// DefaultTolerationSeconds: a pod that says nothing about nodes which are not ready or unreachable stays on them for five minutes.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionPlugin } from "../plugin.ts";

const secondsByDefault = 300;
const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: "DefaultTolerationSeconds",
    handles: ["CREATE", "UPDATE"],
    resources: ["pods"],
    async admit({ subresource, object }) {
      if (subresource !== "") return;
      const { spec } = object as unknown as Draft<corev1.Pod>;
      const held = spec.tolerations ?? [];
      const missing = [notReady, unreachable].filter((key) => !held.some((toleration) => tolerates(toleration, key)));
      if (missing.length > 0) spec.tolerations = [...held, ...missing.map(tolerationOf)];
    },
  };
}

/** By its key or without one, for this effect or for all. Whatever the operator and the time. */
function tolerates({ key = "", effect = "" }: corev1.Toleration, taint: string): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}

const tolerationOf = (key: string): Draft<corev1.Toleration> => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: secondsByDefault,
});
