// A pod as an owner makes it of its template: the template's labels, annotations, finalizers and spec, a name that the server chooses, and
// the owner as its controller.
import {
  asPrefix,
  type corev1,
  type KubernetesObject,
  newControllerReference,
  validateDns1123Subdomain,
} from "@kubeloop/core/api";

const findPrefixFaults = asPrefix(validateDns1123Subdomain);

export function podFromTemplate(template: corev1.PodTemplateSpec | undefined, owner: KubernetesObject): corev1.Pod {
  const { namespace = "", name = "" } = owner.metadata;
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      // The dash is left out where the name would become too long with it.
      generateName: findPrefixFaults(`${name}-`).length === 0 ? `${name}-` : name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [newControllerReference(owner)],
    },
    spec: template?.spec ?? { containers: [] },
  };
}
