// Answers what the API server passes on to nodes. It has the shape of the API server's NodeConnector without importing it: a server in the same
// process takes it as it is. Only logs are served; exec, attach, port-forward and proxy are refused with 501.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  type corev1,
  keyOf,
  newNotFound,
  newStatusError,
  type ObjectKey,
} from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { specContainers } from "../life/pod-life.ts";
import { toPodStatus } from "../life/pod-status.ts";
import { type Attempt, findAttempt, linesUntil, nextLineMs, refreshAttempt } from "../streams/container-log.ts";
import { type LogOptions, parseLogOptions, printLine, selectLines } from "../streams/log-options.ts";
import type { HeldPod, PodWorker } from "./pod-worker.ts";

export interface ConnectorTarget {
  readonly pod: corev1.Pod;
  readonly subresource: string;
}

export class HollowNodeConnector {
  readonly #worker: PodWorker;
  readonly #clock: Clock;

  constructor(worker: PodWorker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
  }

  async answer({ pod, subresource }: ConnectorTarget, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    if (subresource !== "log") {
      const message = `hollow nodes do not serve ${subresource}`;
      throw newStatusError({ code: 501, reason: "", message });
    }
    const key = keyOf(pod);
    const held = this.#worker.get(key);
    if (held === undefined || held.pod.metadata.uid !== pod.metadata.uid) {
      throw newNotFound({ group: "", resource: "pods" }, pod.metadata.name ?? "");
    }
    return this.#log(key, held, parseLogOptions(request, this.#clock.now()), signal);
  }

  #log(key: ObjectKey, held: HeldPod, options: LogOptions, signal: AbortSignal): ApiResponse {
    const { pod, life } = held;
    const name = options.container ?? pod.spec?.containers[0]?.name ?? "";
    const container = life.containers.find((one) => one.name === name);
    const spec = specContainers(pod).find((one) => one.container.name === name);
    if (container === undefined || spec === undefined) {
      throw newStatusError({
        code: 400,
        reason: "BadRequest",
        message: `container ${name} is not valid for pod ${pod.metadata.name}`,
      });
    }
    const nowMs = this.#clock.now();
    const status = toPodStatus({ pod, life, hostIPs: held.node.spec.internalIPs }, nowMs);
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const shownReason = all.find((one) => one.name === name)?.state?.waiting?.reason ?? "ContainerCreating";
    const which = options.isPrevious ? "previous" : "current";
    const attempt = findAttempt(container, which, { pod, shownReason });
    const subject = { pod, spec };
    const lines = linesUntil(attempt, subject, nowMs);
    const first = cut(
      selectLines(lines, options)
        .map((line) => printLine(line, options))
        .join(""),
      options.limitBytes,
    );
    const headers = { "content-type": "text/plain" };
    if (!options.isFollowed || attempt.finishedAtMs !== undefined) return bytesResponse(200, first, headers);
    const follow = () => this.#follow(key, { name, attempt, subject, first, nowMs }, options, signal);
    const bytes = { [Symbol.asyncIterator]: follow };
    return { status: 200, headers, body: { kind: "bytes", bytes }, [Symbol.asyncDispose]: async () => {} };
  }

  /** Sends lines as they are printed, until the attempt has ended. */
  async *#follow(
    key: ObjectKey,
    from: {
      readonly name: string;
      readonly attempt: Attempt;
      readonly subject: Parameters<typeof linesUntil>[1];
      readonly first: Uint8Array;
      readonly nowMs: number;
    },
    options: LogOptions,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { name, subject } = from;
    let leftBytes = options.limitBytes - from.first.length;
    if (from.first.length > 0) yield from.first;
    let sentMs = from.nowMs;
    while (leftBytes > 0) {
      const attempt = refreshAttempt(from.attempt, this.#worker.get(key)?.life, name);
      if (attempt === undefined) return;
      const nowMs = this.#clock.now();
      const fresh = linesUntil(attempt, subject, nowMs).filter(({ atMs }) => atMs > sentMs);
      const bytes = cut(fresh.map((line) => printLine(line, options)).join(""), leftBytes);
      leftBytes -= bytes.length;
      sentMs = nowMs;
      if (bytes.length > 0) yield bytes;
      if (attempt.finishedAtMs !== undefined) return;
      await this.#worker.waitForChange(key, nextLineMs(attempt, subject, nowMs) - nowMs, signal);
    }
  }
}

function cut(text: string, limitBytes: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= limitBytes ? bytes : bytes.slice(0, limitBytes);
}
