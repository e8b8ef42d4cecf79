// The events that the scheduler records, in upstream's words, each reported by the profile that places the pod.

import type { Client } from "@kubeloop/core/client";
import {
  EventBroadcaster,
  type EventBroadcasterOptions,
  type EventRecorder,
  seriesEventSink,
} from "@kubeloop/core/events";
import type { Pod } from "@kubeloop/core/types/core/v1";

const maxNoteLength = 1024;

/** Every pod is worth an event, and pods are placed faster than events are written. Upstream lets any number wait; here it is a number that fits into memory. */
const limits = { queueSize: 50_000, writers: 32 };

export class PodEvents {
  readonly #broadcaster: EventBroadcaster;
  readonly #recorders: ReadonlyMap<string, EventRecorder>;

  constructor(client: Client, profiles: Iterable<string>, options: EventBroadcasterOptions) {
    this.#broadcaster = new EventBroadcaster({ ...limits, ...options });
    this.#broadcaster.startRecordingToSink(seriesEventSink(client));
    this.#recorders = new Map(
      [...profiles].map((name) => [name, this.#broadcaster.newRecorder({ component: name })] as const),
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#broadcaster.run(signal);
  }

  scheduled(pod: Pod, nodeName: string): void {
    const note = `Successfully assigned ${keyOf(pod)} to ${nodeName}`;
    this.#of(pod)?.eventf({ regarding: pod, type: "Normal", reason: "Scheduled", action: "Binding", note });
  }

  /** The message is cut to the length that the server accepts. */
  failed(pod: Pod, message: string): void {
    const note = message.length > maxNoteLength ? `${message.slice(0, maxNoteLength - 4)} ...` : message;
    this.#of(pod)?.eventf({ regarding: pod, type: "Warning", reason: "FailedScheduling", action: "Scheduling", note });
  }

  skipped(pod: Pod): void {
    this.failed(pod, `skip schedule deleting pod: ${keyOf(pod)}`);
  }

  preempted(victim: Pod, preemptor: Pod, nodeName: string): void {
    const note = `Preempted by pod ${preemptor.metadata.uid ?? ""} on node ${nodeName}`;
    const recorder = this.#of(preemptor);
    recorder?.eventf({ regarding: victim, type: "Normal", reason: "Preempted", action: "Preempting", note });
  }

  #of({ spec }: Pod): EventRecorder | undefined {
    return this.#recorders.get(spec.schedulerName ?? "");
  }
}

/** `namespace/name`, as messages name a pod. */
export function keyOf({ metadata: { namespace = "", name = "" } }: Pod): string {
  return `${namespace}/${name}`;
}
