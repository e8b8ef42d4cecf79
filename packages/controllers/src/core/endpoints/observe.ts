// What a decision about the Endpoints of a Service stands on: its pods, its Endpoints as they are, and what is remembered of it.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { endpoints, services } from "@kubeloop/core/resources";
import { podsOfService } from "../../domain/service-pods.ts";
import type { TriggerTimes } from "../../domain/trigger-times.ts";
import type { SeenTimes } from "./model.ts";

export interface Observed {
  readonly key: string;
  /** Undefined if it is gone. */
  readonly service: corev1.Service | undefined;
  readonly pods: readonly corev1.Pod[];
  readonly current: corev1.Endpoints | undefined;
  /** Undefined on the first look. */
  readonly times: TriggerTimes | undefined;
}

export function observe(key: string, { snapshot, model }: View<SeenTimes>): Observed {
  const service = snapshot.get(services, key);
  return {
    key,
    service,
    pods: service === undefined ? [] : podsOfService(snapshot, service),
    current: snapshot.get(endpoints, key),
    times: model.get(key),
  };
}
