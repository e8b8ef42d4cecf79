// A kubelet's HTTPS paths as a function from request to response, for all hollow nodes at once: logs, exec and attach are the connector's, which the
// embedded server calls without a port. Promises that nobody is served whom the cluster does not know (401) or whom it does not let (403), and that a
// refusal is a line of text, as a kubelet's: a kube-apiserver passes it on to its own client.
import {
  type ApiRequest,
  type ApiResponse,
  type corev1,
  findStatusError,
  newStatusError,
  queryValue,
} from "@kubeloop/core/api";
import { isAborted, toError } from "@kubeloop/core/base";
import {
  type AccessReviews,
  type AuthenticatedUser,
  type Authentication,
  type HttpHandler,
  jsonResponse,
  textResponse,
} from "@kubeloop/core/runtime";
import { specContainers } from "../life/pod-life.ts";
import { parseLogOptions } from "../streams/log-options.ts";
import { accessOf, type KubeletRequest, methodsOf, type PodRequest, parseKubeletRequest } from "./kubelet-request.ts";

export interface KubeletParts {
  readonly authentication: Pick<Authentication, "userOf">;
  readonly reviews: Pick<AccessReviews, "decide">;
  /** Undefined if the pod's node is cut off. */
  readonly connector: {
    answer(
      target: { readonly pod: corev1.Pod; readonly subresource: string },
      request: ApiRequest,
      signal: AbortSignal,
    ): Promise<ApiResponse | undefined>;
  };
  /** A pod that is bound to one of the nodes. */
  readonly findPod: (namespace: string, name: string) => corev1.Pod | undefined;
  /** All pods that are bound to the nodes. */
  readonly pods: () => readonly corev1.Pod[];
}

export function kubeletHandler(parts: KubeletParts): HttpHandler {
  return async (request, signal, peer) => {
    try {
      const user = await parts.authentication.userOf(request, peer, signal);
      if (user.groups.includes("system:unauthenticated")) return textResponse(401, "Unauthorized");
      const asked = parseKubeletRequest(request);
      const pod = asked.of === "pod" ? parts.findPod(asked.namespace, asked.name) : undefined;
      const refusal = await refuse(parts, user, { request, node: pod?.spec?.nodeName ?? "" }, signal);
      return refusal ?? (await answer(parts, asked, pod, request, signal));
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      return textResponse(findStatusError(error)?.code ?? 500, toError(error).message);
    }
  };
}

/** Undefined if the user may. Without the name of a node, all nodes are asked about. */
async function refuse(
  { reviews }: KubeletParts,
  user: AuthenticatedUser,
  { request, node }: { readonly request: ApiRequest; readonly node: string },
  signal: AbortSignal,
): Promise<ApiResponse | undefined> {
  const { verb, subresources } = accessOf(request);
  for (const subresource of subresources) {
    const resourceAttributes = { version: "v1", resource: "nodes", subresource, verb, name: node };
    if ((await reviews.decide(user, { resourceAttributes }, signal)) === "allowed") return undefined;
  }
  const what = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}]`;
  return textResponse(403, `Forbidden (${what})\n`);
}

async function answer(
  parts: KubeletParts,
  asked: KubeletRequest,
  pod: corev1.Pod | undefined,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  if (asked.of === "nothing") return textResponse(404, "404 page not found\n");
  if (!methodsOf(asked).includes(request.method)) return textResponse(405, "405: Method Not Allowed");
  switch (asked.of) {
    case "health":
      return textResponse(200, "ok");
    case "pods":
      return jsonResponse(
        200,
        JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: parts.pods() }),
      );
    case "pod":
      return await answerForPod(parts, asked, pod, request, signal);
  }
}

async function answerForPod(
  { connector }: KubeletParts,
  { subresource, name, uid, query }: PodRequest,
  pod: corev1.Pod | undefined,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  // Before the pod is looked for, as a kubelet does. The time is of no concern here.
  if (subresource === "log") parseLogOptions({ query }, 0);
  if (pod === undefined) {
    const message = subresource === "log" ? `pod ${JSON.stringify(name)} does not exist` : "pod does not exist";
    throw newStatusError({ code: 404, reason: "NotFound", message });
  }
  const container = queryValue(query, "container");
  if (container !== undefined && !hasContainer(pod, uid, container)) throw noContainer(subresource, pod, container);
  const answered = await connector.answer({ pod, subresource }, { ...request, query }, signal);
  if (answered !== undefined) return answered;
  const message = `node ${pod.spec?.nodeName} is cut off`;
  throw newStatusError({ code: 503, reason: "ServiceUnavailable", message });
}

/** A kubelet looks the container up in the pod of that uid, so that another pod of that name has none. */
function hasContainer(pod: corev1.Pod, uid: string | undefined, name: string): boolean {
  if (uid !== undefined && uid !== pod.metadata.uid) return false;
  return specContainers(pod).some(({ container }) => container.name === name);
}

/** In a kubelet's words, which differ: only for logs it looks before it asks its runtime. A kube-apiserver refuses such a name itself (400). */
function noContainer(subresource: string, { metadata }: corev1.Pod, container: string): Error {
  const { name, namespace } = metadata;
  if (subresource === "log") {
    const message = `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(name)}`;
    return newStatusError({ code: 404, reason: "NotFound", message });
  }
  const message =
    subresource === "exec"
      ? `container not found (${JSON.stringify(container)})`
      : `container ${container} not found in pod ${name}_${namespace}`;
  return newStatusError({ code: 500, reason: "InternalError", message });
}
