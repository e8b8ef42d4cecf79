// Logs, exec, attach, port-forward and proxy: what only the machine can answer. Without machines: what a real server says when it cannot
// find or reach one.
import { bytesResponse, type corev1, newBadRequest, newNotFound, newStatusError, queryValue } from "@kubeloop/core/api";
import type { Answer } from "../../wire/answer.ts";
import { placeOf, type RequestScope } from "../request-scope.ts";

export async function onNode(scope: RequestScope): Promise<Answer> {
  const { served, info, server, request, signal } = scope;
  const object = await server.storage.get(placeOf(scope, info.name));
  if (object === undefined) throw newNotFound(served.groupResource, info.name);
  if (served.resource.plural !== "pods") throw unreachable(`no endpoints available for ${info.name}`);
  const pod = object as corev1.Pod;
  checkContainer(pod, queryValue(request.query, "container") ?? "", info.subresource);
  const node = pod.spec?.nodeName ?? "";
  if (node === "") {
    // Upstream: a pod without a node has no log yet, and nobody to talk to.
    if (info.subresource === "log") return { kind: "response", response: bytesResponse(204, new Uint8Array(), {}) };
    throw newBadRequest(`pod ${info.name} does not have a host assigned`);
  }
  if (server.nodePort === undefined) throw await whyUnreachable(scope, pod);
  const response = await server.nodePort.answer({ pod, subresource: info.subresource }, request, signal);
  return { kind: "response", response };
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
function checkContainer({ metadata, spec }: corev1.Pod, asked: string, subresource: string): void {
  if (subresource === "portforward" || subresource === "proxy") return;
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const others = [...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].map(({ name }) => name);
  if (asked !== "") {
    if ([...names, ...others].includes(asked)) return;
    throw newBadRequest(`container ${asked} is not valid for pod ${metadata?.name}`);
  }
  if (names.length <= 1 && others.length === 0) return;
  if (names.length === 1 && subresource !== "log") return;
  const init = (spec?.initContainers ?? []).map(({ name }) => name);
  const choice = `choose one of: [${names.join(" ")}]`;
  const more = init.length > 0 ? ` or one of the init containers: [${init.join(" ")}]` : "";
  throw newBadRequest(`a container name must be specified for pod ${metadata?.name}, ${choice}${more}`);
}

const unreachable = (message: string) =>
  newStatusError({ code: 500, reason: "InternalError", message: `Internal error occurred: ${message}` });

/** An error that has no reason of its own. */
const failed = (message: string) => newStatusError({ code: 500, reason: "", message });
