// What a hollow node reports about a pod as Kubernetes events, in the kubelet's words.
import type { ContainerKind } from "./pod-life.ts";

export interface LifeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The container that the event is about; undefined if it is about the pod. */
  readonly container?: { readonly name: string; readonly kind: ContainerKind };
}

/** The part of the pod that an event is about: "spec.containers{web}". */
export function fieldPathOf({ name, kind }: { readonly name: string; readonly kind: ContainerKind }): string {
  const field = {
    init: "initContainers",
    sidecar: "initContainers",
    app: "containers",
    ephemeral: "ephemeralContainers",
  };
  return `spec.${field[kind]}{${name}}`;
}
