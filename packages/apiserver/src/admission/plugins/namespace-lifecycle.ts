// NamespaceLifecycle: nothing is written in a namespace that does not exist, nothing new in one that is on its way out, and the namespaces that
// everything needs stay.
//
// This is the plugin to copy: a function of what plugins may look at, with a name, the operations it handles, and small checks below.
import { type corev1, newForbidden, newNotFound, newStatusError } from "@kubeloop/core/api";
import type { AdmissionAttributes } from "../attributes.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const namespaces = { group: "", resource: "namespaces" };
const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

export function namespaceLifecycle({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    handles: ["CREATE", "UPDATE", "DELETE"],
    async admit(attributes) {
      const { operation, resource, namespace, name } = attributes;
      if (resource.group === "" && resource.resource === "namespaces") {
        if (operation === "DELETE" && immortal.has(name)) {
          throw newForbidden(namespaces, name, { detail: "this namespace may not be deleted" });
        }
        return;
      }
      if (namespace === "" || operation === "DELETE" || isAccessReview(attributes)) return;
      const found = (await storage.get({ collection: "namespaces", key: namespace })) as corev1.Namespace | undefined;
      if (found === undefined) throw newNotFound(namespaces, namespace);
      if (operation === "CREATE" && isTerminating(found)) throw terminatingError(attributes);
    },
  };
}

/** To say whether the namespace exists would tell more than was asked. */
const isAccessReview = ({ resource: { group, resource } }: AdmissionAttributes) =>
  group === "authorization.k8s.io" && resource === "localsubjectaccessreviews";

const isTerminating = ({ metadata, status }: corev1.Namespace) =>
  status?.phase === "Terminating" || metadata?.deletionTimestamp !== undefined;

function terminatingError(attributes: AdmissionAttributes) {
  const { namespace } = attributes;
  const detail = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const error = admissionForbidden(attributes, detail);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return newStatusError({
    code: 403,
    reason: "Forbidden",
    message: error.message,
    details: { ...error.status.details, causes: [cause] },
  });
}
