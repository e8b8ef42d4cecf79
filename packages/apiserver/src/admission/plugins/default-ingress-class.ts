// DefaultIngressClass: an ingress that names no class gets everybody's, if there is one.
import type { networkingv1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionParts, AdmissionPlugin } from "../plugin.ts";
import { defaultClassOf } from "./default-class.ts";

const annotations = ["ingressclass.kubernetes.io/is-default-class"] as const;
const classOfOldIngresses = "kubernetes.io/ingress.class";

export function defaultIngressClass({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "DefaultIngressClass",
    handles: ["CREATE"],
    resources: ["networking.k8s.io/ingresses"],
    async admit({ subresource, object }) {
      if (subresource !== "") return;
      const ingress = object as unknown as Draft<networkingv1.Ingress>;
      const isNamed = ingress.metadata.annotations?.[classOfOldIngresses] !== undefined;
      if (isNamed || ingress.spec?.ingressClassName !== undefined) return;
      const { objects } = await storage.list("networking.k8s.io/ingressclasses", {});
      const name = defaultClassOf(objects, annotations);
      if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
    },
  };
}
