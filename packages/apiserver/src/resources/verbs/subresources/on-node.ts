// Logs, exec, attach, port-forward and proxy: what only the machine can answer. Without machines: what a real server says when it cannot
// find or reach one.
import {
  bytesResponse,
  type corev1,
  type KubernetesObject,
  newBadRequest,
  newNotFound,
  newStatusError,
  queryValue,
} from "@kubeloop/core/api";
import type { Answer } from "../../../wire/answer.ts";
import { admitAndValidate } from "../../registry/admission-attributes.ts";
import { storageKeyOf } from "../../registry/write-context.ts";
import type { RequestScope } from "../request-scope.ts";
import { connectOptionsOf } from "./connect-options.ts";
import { checkLogOptions } from "./log-options.ts";
import { checkPodAddress, proxyTargetOf, serviceFault } from "./proxy-target.ts";

export async function onNode(scope: RequestScope): Promise<Answer> {
  const { info, server, request, signal } = scope;
  await admitConnection(scope);
  const pod = await podOf(scope);
  const node = pod.spec?.nodeName ?? "";
  if (node === "" && info.subresource !== "proxy") {
    // Upstream: a pod without a node has no log yet, and nobody to talk to.
    if (info.subresource === "log") return { kind: "response", response: bytesResponse(204, new Uint8Array(), {}) };
    throw newBadRequest(`pod ${info.name} does not have a host assigned`);
  }
  const response = await server.nodeConnector?.answer({ pod, subresource: info.subresource }, request, signal);
  if (response === undefined) throw await whyUnreachable(scope, pod);
  return { kind: "response", response };
}

/** What is asked for in the query is the object that admission sees. */
async function admitConnection(scope: RequestScope): Promise<void> {
  const object = connectOptionsOf(scope.request.query, scope.info);
  if (object === undefined) return;
  const kind = { group: "", version: "v1", kind: object.kind };
  await admitAndValidate(scope, { operation: "CONNECT", kind, object });
}

/** The pod that is to answer; throws what is said before anybody is asked. */
async function podOf(scope: RequestScope): Promise<corev1.Pod> {
  const { info, request } = scope;
  if (info.subresource === "proxy") {
    const pod = (await objectNamed(scope, proxyTargetOf(info.name, "pod").name)) as corev1.Pod;
    checkPodAddress(pod);
    return pod;
  }
  if (info.subresource === "log") checkLogOptions(request.query, info.name);
  const pod = (await objectNamed(scope, info.name)) as corev1.Pod;
  if (info.subresource !== "portforward") checkContainer(pod, queryValue(request.query, "container") ?? "");
  return pod;
}

async function objectNamed(scope: RequestScope, name: string): Promise<KubernetesObject> {
  const object = await scope.server.storage.get(storageKeyOf(scope, name));
  if (object === undefined) throw newNotFound(scope.served.groupResource, name);
  return object;
}

/** Of a service or a node: there is nobody behind it. */
export async function throughProxy(scope: RequestScope): Promise<Answer> {
  const { served, info } = scope;
  await admitConnection(scope);
  if (served.resource.plural === "services") {
    const fault = await serviceFault(scope, proxyTargetOf(info.name, "service"));
    if (fault !== undefined) throw fault;
  } else await objectNamed(scope, info.name);
  throw unreachable(`no endpoints available for ${info.name}`);
}

/** In the order in which a real server prefers them. */
const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

async function whyUnreachable({ server, info, request }: RequestScope, pod: corev1.Pod): Promise<Error> {
  const name = pod.spec?.nodeName ?? "";
  const node = (await server.storage.get({ collection: "nodes", key: name })) as corev1.Node | undefined;
  // In a real server's words, though it is the node that is missing.
  if (node === undefined) return newNotFound({ group: "", resource: "pods" }, name);
  const addresses = node.status?.addresses ?? [];
  const host = addressTypes.flatMap((type) => addresses.filter((one) => one.type === type))[0]?.address;
  if (host === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    return failed(`no preferred addresses found; known addresses: [${known}]`);
  }
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10250;
  const refused = `dial tcp ${host}:${port}: connect: connection refused`;
  const container = queryValue(request.query, "container") ?? pod.spec?.containers?.[0]?.name ?? "";
  const url = `https://${host}:${port}/containerLogs/${info.namespace}/${info.name}/${container}`;
  if (info.subresource === "log") return failed(`Get "${url}": ${refused}`);
  return failed(`error dialing backend: ${refused}`);
}

/** Several containers and no choice is a bad request; so is one that is not there. */
function checkContainer({ metadata, spec }: corev1.Pod, asked: string): void {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  if (asked === "" && names.length === 1) return;
  const others = (held: readonly { readonly name: string }[] = []) => held.map(({ name }) => name);
  const all = [...others(spec?.initContainers), ...names, ...others(spec?.ephemeralContainers)];
  if (asked === "") {
    const choice = `choose one of: [${all.join(" ")}]`;
    throw newBadRequest(`a container name must be specified for pod ${metadata?.name}, ${choice}`);
  }
  if (!all.includes(asked)) throw newBadRequest(`container ${asked} is not valid for pod ${metadata?.name}`);
}

const unreachable = (message: string) =>
  newStatusError({ code: 500, reason: "InternalError", message: `Internal error occurred: ${message}` });

/** An error that has no reason of its own. */
const failed = (message: string) => newStatusError({ code: 500, reason: "", message });
