// Nothing new in a namespace that does not exist or is on its way out; and the namespaces everything needs stay.
import { type corev1, newForbidden, newNotFound, newStatusError } from "@kubeloop/core/api";
import type { PendingWrite, WriteStep } from "../resources/write-steps.ts";

const namespaces = { group: "", resource: "namespaces" };

export const namespaceLifecycle: WriteStep = {
  name: "NamespaceLifecycle",
  async mutate(write) {
    if (write.operation === "CREATE") await checkNamespace(write);
  },
};

async function checkNamespace({ scope, draft }: PendingWrite): Promise<void> {
  const { served, info, server } = scope;
  if (!served.resource.namespaced || served.resource.plural === "localsubjectaccessreviews") return;
  const { namespace } = info;
  const object = (await server.storage.get({ collection: "namespaces", key: namespace })) as
    | corev1.Namespace
    | undefined;
  if (object === undefined) throw newNotFound(namespaces, namespace);
  if (object.status?.phase !== "Terminating" && object.metadata?.deletionTimestamp === undefined) return;
  const name = draft?.metadata.name ?? "";
  const detail = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const error = newForbidden(served.groupResource, name, { detail });
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw newStatusError({
    code: 403,
    reason: "Forbidden",
    message: error.message,
    details: { ...error.status.details, causes: [cause] },
  });
}
