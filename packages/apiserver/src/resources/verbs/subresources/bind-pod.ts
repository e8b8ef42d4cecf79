// POST of a Binding: gives a pod its node, once. Uid and version in the Binding are conditions.
import {
  childPath,
  type corev1,
  type Fault,
  fieldPath,
  type KubernetesObject,
  newBadRequest,
  newConflict,
  newNotFound,
  newStatusError,
  notSupportedFault,
  printFaults,
  requiredFault,
} from "@kubeloop/core/api";
import type { Draft } from "../../../kinds/kind-rules.ts";
import type { Answer } from "../../../wire/answer.ts";
import { bindingKind } from "../../../wire/meta-kinds.ts";
import { writeOptionsOf } from "../../options/request-options.ts";
import { admitAndValidate } from "../../registry/admission-attributes.ts";
import { guaranteedUpdate, staleVersion, storageFault } from "../../registry/guaranteed-update.ts";
import { storageKeyOf } from "../../registry/write-context.ts";
import { readPlain } from "../read-object.ts";
import type { RequestScope } from "../request-scope.ts";
import { withCondition } from "./pod-conditions.ts";

const pods = { group: "", resource: "pods" };

export async function bindPod(scope: RequestScope): Promise<Answer> {
  const options = writeOptionsOf(scope.request.query, "CreateOptions");
  const binding = (await readPlain(scope, bindingKind, options)) as unknown as corev1.Binding;
  const name = scope.info.name === "" ? (binding.metadata?.name ?? "") : scope.info.name;
  if (binding.metadata?.name !== name) {
    throw newBadRequest("name in URL does not match name in Binding object");
  }
  const faults = bindingFaults(binding);
  // Upstream takes its own faults for a failure.
  if (faults.length > 0) throw newStatusError({ code: 500, reason: "", message: printFaults(faults) });
  await admitAndValidate(scope, {
    operation: "CREATE",
    kind: bindingKind,
    object: binding as unknown as Draft<KubernetesObject>,
    options,
    isDryRun: options.isDryRun,
  });
  await guaranteedUpdate(
    scope,
    storageKeyOf({ ...scope, served: podsOf(scope) }, name),
    async (current) => {
      if (current === undefined) throw newNotFound(pods, name);
      return { kind: "write", draft: boundPod(scope, current, binding) };
    },
    options,
  );
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { kind: "plain", code: 201, object: status };
}

/** A Binding that is posted to its own collection is about a pod all the same. */
function podsOf({ server }: RequestScope) {
  const served = server.catalogue.find({ group: "", version: "v1", plural: "pods" });
  if (served === undefined) throw newNotFound(pods, "");
  return served;
}

function boundPod(scope: RequestScope, current: KubernetesObject, binding: corev1.Binding): Draft<KubernetesObject> {
  const pod = current as corev1.Pod;
  const { uid = "", resourceVersion = "", annotations, labels } = binding.metadata ?? {};
  const name = pod.metadata?.name ?? "";
  const refused = (why: string) => newConflict({ group: "", resource: "pods/binding" }, name, { detail: why });
  if (uid !== "" && uid !== pod.metadata?.uid) {
    const storageKey = { collection: "pods", key: `${pod.metadata?.namespace}/${name}` };
    const detail = storageFault(storageKey, `UID in precondition: ${uid}, UID in object meta: ${pod.metadata?.uid}`);
    throw newConflict(pods, name, { detail });
  }
  if (resourceVersion !== "" && resourceVersion !== pod.metadata?.resourceVersion) throw staleVersion(scope, name);
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw refused(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((pod.spec?.nodeName ?? "") !== "") {
    throw refused(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}`);
  }
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw refused(`pod ${name} has non-empty .spec.schedulingGates`);
  const { nominatedNodeName: _nominated, ...status } = withCondition(
    pod.status ?? {},
    { type: "PodScheduled", status: "True" },
    scope.server.clock.now(),
  );
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata?.annotations, ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...pod.metadata?.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: binding.target.name },
    status,
  } as unknown as Draft<KubernetesObject>;
}

function bindingFaults({ target }: corev1.Binding): Fault[] {
  const path = fieldPath("target");
  const { kind = "", name = "" } = target ?? {};
  const faults: Fault[] = [];
  if (kind !== "" && kind !== "Node")
    faults.push(notSupportedFault(childPath(path, "kind"), kind, ["Node", "<empty>"]));
  if (name === "") faults.push(requiredFault(childPath(path, "name")));
  return faults;
}
