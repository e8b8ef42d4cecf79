// Answers requests for the logs of pods: what was printed so far, or, followed, what is printed until the container ends.
import { type ApiResponse, bytesResponse, type corev1, keyOf, newStatusError } from "@kubeloop/core/api";
import { type Clock, KubeloopError } from "@kubeloop/core/base";
import { type ContainerLife, type SpecContainer, specContainers } from "../life/pod-life.ts";
import { toPodStatus } from "../life/pod-status.ts";
import { type Attempt, AttemptLog, findAttempt, refreshAttempt } from "../streams/container-log.ts";
import { type LogOptions, printLine, selectLines } from "../streams/log-options.ts";
import type { HeldPod, PodWorker } from "./pod-worker.ts";

/** A container of a pod, as its spec and its life have it. */
export interface FoundContainer {
  readonly spec: SpecContainer;
  readonly container: ContainerLife;
}

/** The one that is named, or the first. Throws BadRequest if there is none. */
export function findContainer({ pod, life }: HeldPod, asked: string | undefined): FoundContainer {
  const name = asked ?? pod.spec?.containers[0]?.name ?? "";
  const container = life.containers.find((one) => one.name === name);
  const spec = specContainers(pod).find((one) => one.container.name === name);
  if (container !== undefined && spec !== undefined) return { container, spec };
  const message = `container ${name} is not valid for pod ${pod.metadata.name}`;
  throw newStatusError({ code: 400, reason: "BadRequest", message });
}

export class LogEndpoint {
  readonly #worker: PodWorker;
  readonly #clock: Clock;

  constructor(worker: PodWorker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
  }

  answer(held: HeldPod, options: LogOptions, signal: AbortSignal): ApiResponse {
    const { pod } = held;
    const { container, spec } = findContainer(held, options.container);
    if (options.stream !== undefined) throw oneStreamOnly(options.stream);
    const nowMs = this.#clock.now();
    const shownReason = waitingReason(held, container.name, nowMs);
    const attempt = findAttempt(container, options.isPrevious ? "previous" : "current", { pod, shownReason });
    const log = new AttemptLog(attempt, { pod, spec, files: this.#worker.mountedFiles(pod, spec.container) });
    const isEnded = attempt.finishedAtMs !== undefined;
    const lines = log.readLines(nowMs, attempt.finishedAtMs);
    const rest = isEnded || options.isFollowed ? [] : log.readRest();
    const printed = selectLines([...lines, ...rest], options).map((line) => printLine(line, options));
    const first = cut(printed.join(""), options.limitBytes);
    const headers = { "content-type": "text/plain" };
    if (!options.isFollowed || isEnded) return bytesResponse(200, first, headers);
    const bytes = {
      [Symbol.asyncIterator]: () => this.#follow(held, { attempt, log, first, container }, options, signal),
    };
    return { status: 200, headers, body: { kind: "bytes", bytes }, [Symbol.asyncDispose]: async () => {} };
  }

  /** Sends lines as they are printed, until the attempt has ended. */
  async *#follow(
    { pod, node }: HeldPod,
    from: {
      readonly attempt: Attempt;
      readonly log: AttemptLog;
      readonly first: Uint8Array;
      readonly container: ContainerLife;
    },
    options: LogOptions,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { log, container } = from;
    const key = keyOf(pod);
    let leftBytes = options.limitBytes - from.first.length;
    if (from.first.length > 0) yield from.first;
    while (leftBytes > 0) {
      if (node.isCutOff) throw outOfReach();
      const attempt = refreshAttempt(from.attempt, this.#worker.get(key)?.life, container.name);
      if (attempt === undefined) return;
      const nowMs = this.#clock.now();
      const lines = log.readLines(nowMs, attempt.finishedAtMs);
      const bytes = cut(lines.map((line) => printLine(line, options)).join(""), leftBytes);
      leftBytes -= bytes.length;
      if (bytes.length > 0) yield bytes;
      if (attempt.finishedAtMs !== undefined) return;
      // What has changed while a slow reader took the bytes wakes nobody: it is looked at before the wait.
      if (bytes.length === 0) await this.#worker.waitForChange(key, log.nextMs - nowMs, signal);
    }
  }
}

/** As a kubelet without that gate, which is off by default. */
function oneStreamOnly(stream: string): Error {
  const gate = "Please enable PodLogsQuerySplitStreams feature gate in kubelet";
  const message = `unable to return the given log stream: ${JSON.stringify(stream)}. ${gate}`;
  return newStatusError({ code: 400, reason: "BadRequest", message });
}

/** A connection to a node that was cut off breaks. */
export function outOfReach(): KubeloopError {
  return new KubeloopError("the node is out of reach", { reason: "Unreachable", retry: "backoff" });
}

function waitingReason({ pod, life, node }: HeldPod, name: string, nowMs: number): string {
  const status: corev1.PodStatus = toPodStatus({ pod, life, hostIPs: node.spec.internalIPs }, nowMs);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.find((one) => one.name === name)?.state?.waiting?.reason ?? "ContainerCreating";
}

function cut(text: string, limitBytes: number): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= limitBytes ? bytes : bytes.slice(0, limitBytes);
}
