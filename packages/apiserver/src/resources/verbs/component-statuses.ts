// `componentstatuses`: retired, yet still asked for. The storage is here and well; of a scheduler and a controller manager this server
// knows nothing, which a real one says in the words of a refused connection.
import { type corev1, type KubernetesObject, newNotFound } from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import type { RequestScope } from "./request-scope.ts";

const refused = (port: number) =>
  `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;

const statuses: readonly corev1.ComponentStatus[] = [
  componentStatus("controller-manager", "False", refused(10257)),
  componentStatus("etcd-0", "True", "ok"),
  componentStatus("scheduler", "False", refused(10259)),
];

function componentStatus(name: string, status: string, message: string): corev1.ComponentStatus {
  const conditions = [{ type: "Healthy", status, message }];
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions };
}

const retired = "v1 ComponentStatus is deprecated in v1.19+";

export async function getComponentStatus(scope: RequestScope): Promise<Answer> {
  const { info, served, warnings } = scope;
  warnings.add(retired);
  const object = statuses.find(({ metadata }) => metadata?.name === info.name);
  if (object === undefined) throw newNotFound(served.groupResource, info.name);
  return { kind: "object", code: 200, object: object as KubernetesObject, presentation: served.presentation };
}

export async function listComponentStatuses({ served, warnings }: RequestScope): Promise<Answer> {
  warnings.add(retired);
  const list = { metadata: {}, objects: statuses as readonly KubernetesObject[] };
  return { kind: "list", list, presentation: served.presentation };
}
