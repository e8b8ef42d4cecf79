// What a container does, as a hollow node plays it, apart from its command: how long its image takes to pull, what its probes find, what it does on the
// stop signal, and what exec answers. First the annotations decide, then the image and the command, and then the default: all probes pass, and it ends
// with 0 on the stop signal. How an attempt ends and what it prints is in attempt-run.ts.
//
// Pure: the same pod always gives the same script.
import type { corev1 } from "@kubeloop/core/api";
import { type ReadAnnotations, readAnnotations } from "./annotations.ts";
import { onTermOf } from "./container-command.ts";
import type { AnyContainer } from "./environment.ts";
import { canPull } from "./image-name.ts";
import type { ScriptedCommand } from "./transcript.ts";

/** When the probes of one kind pass, in milliseconds since the start of the container. */
export interface ProbeScript {
  readonly passesFromMs: number;
  readonly failsFromMs: number;
}

export interface ContainerScript {
  /** Undefined: the default of the node. */
  readonly pullMs: number | undefined;
  readonly canPull: boolean;
  readonly probes: Readonly<Record<"startup" | "readiness" | "liveness", ProbeScript>>;
  /** "ignored" if the process has no handler for the stop signal: only SIGKILL ends it. */
  readonly onTerm: "ignored" | { readonly exitCode: number };
  /** The termination message of an attempt that was stopped. */
  readonly terminationMessage: string;
  readonly exec: readonly ScriptedCommand[];
  readonly faults: readonly string[];
}

export function containerScript(pod: corev1.Pod, container: AnyContainer): ContainerScript {
  const { script, faults } = annotationsOf(pod, container);
  const { readyAfterMs = 0, unreadyAfterMs = Number.POSITIVE_INFINITY, onTerm } = script;
  const scriptedTerm = onTerm === "ignore" ? "ignored" : onTerm === undefined ? undefined : { exitCode: onTerm };
  return {
    pullMs: typeof script.pull === "number" ? script.pull : undefined,
    canPull: script.pull === undefined ? canPull(container.image ?? "") : script.pull !== "fail",
    probes: {
      startup: { passesFromMs: script.startedAfterMs ?? 0, failsFromMs: Number.POSITIVE_INFINITY },
      readiness: { passesFromMs: readyAfterMs, failsFromMs: unreadyAfterMs },
      liveness: { passesFromMs: 0, failsFromMs: script.unhealthyAfterMs ?? Number.POSITIVE_INFINITY },
    },
    onTerm: scriptedTerm ?? onTermOf(container),
    terminationMessage: script.terminationMessage ?? "",
    exec: script.exec ?? [],
    faults,
  };
}

export function annotationsOf(pod: corev1.Pod, { name }: AnyContainer): ReadAnnotations {
  const isApp = pod.spec?.containers.some((container) => container.name === name) === true;
  return readAnnotations(pod.metadata.annotations, { name, isApp });
}
