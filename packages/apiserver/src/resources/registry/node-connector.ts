// What only the machine a pod runs on can answer: its logs, a process in it, its ports. Whoever brings nodes fills this in; until then
// requests get what a real server answers when the node cannot be reached.
import type { ApiRequest, ApiResponse, corev1 } from "@kubeloop/core/api";

export interface NodeConnector {
  /**
   * `subresource` is log, exec, attach or portforward (of a pod) or proxy (of a node); the request is as the client sent it. Undefined: the node
   * cannot be reached.
   */
  answer(
    target: { readonly pod: corev1.Pod; readonly subresource: string },
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiResponse | undefined>;
}
