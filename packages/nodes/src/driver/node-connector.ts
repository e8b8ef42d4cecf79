// Answers what the API server passes on to nodes. It has the shape of the API server's NodeConnector without importing it: a server in the same
// process takes it as it is. Logs, exec and attach are served. Port-forward and proxy are refused with 501, because there is no network to forward to.
import { type ApiRequest, type ApiResponse, type corev1, newNotFound, newStatusError } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { parseLogOptions } from "../streams/log-options.ts";
import { LogEndpoint } from "./log-endpoint.ts";
import type { PodWorker } from "./pod-worker.ts";
import { StreamEndpoint } from "./stream-endpoint.ts";

export interface ConnectorTarget {
  readonly pod: corev1.Pod;
  readonly subresource: string;
}

export class HollowNodeConnector {
  readonly #worker: PodWorker;
  readonly #clock: Clock;
  readonly #logs: LogEndpoint;
  readonly #streams: StreamEndpoint;

  constructor(worker: PodWorker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
    this.#logs = new LogEndpoint(worker, clock);
    this.#streams = new StreamEndpoint(worker, clock);
  }

  /** Undefined if the pod's node is out of reach: it was cut off, or is none of these. */
  async answer(
    { pod, subresource }: ConnectorTarget,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<ApiResponse | undefined> {
    if (!this.#worker.canReach(pod)) return undefined;
    const held = this.#worker.find(pod);
    if (held === undefined) throw newNotFound({ group: "", resource: "pods" }, pod.metadata.name ?? "");
    switch (subresource) {
      case "log":
        return this.#logs.answer(held, parseLogOptions(request, this.#clock.now()), signal);
      case "exec":
        return this.#streams.exec(held, request, signal);
      case "attach":
        return this.#streams.attach(held, request, signal);
      default: {
        const message = `hollow nodes have no network to forward to: ${subresource} is not served`;
        throw newStatusError({ code: 501, reason: "", message });
      }
    }
  }
}
