// The `kubeloop.dev/…` annotations of a pod, which say what its containers do. `kubeloop.dev/run-for: 30s` is for all app containers of the pod;
// `kubeloop.dev/run-for.web: 30s` is for the container "web" only, init and ephemeral containers included, and wins.
//
// An annotation that cannot be read is not used, and is reported as a fault.
import { DurationError, parseDurationMs } from "@kubeloop/core/api";
import { toError } from "@kubeloop/core/base";
import { parseTranscript, type ScriptedCommand, TranscriptError } from "./transcript.ts";

export interface ScriptAnnotations {
  /** How long each attempt runs. Default: from image and command. */
  readonly runForMs?: number;
  /** The exit code of the first attempt, the second and so on; the last one repeats. */
  readonly exitCodes?: readonly number[];
  /** Readiness probes fail before this time since the start. Infinity: always. */
  readonly readyAfterMs?: number;
  /** Readiness probes fail from this time since the start on. */
  readonly unreadyAfterMs?: number;
  /** Liveness probes fail from this time since the start on. */
  readonly unhealthyAfterMs?: number;
  /** Startup probes fail before this time since the start. */
  readonly startedAfterMs?: number;
  readonly logLines?: readonly string[];
  /** The content of the termination message file at the end. */
  readonly terminationMessage?: string;
  /** What to do on the stop signal: the exit code, or "ignore". */
  readonly onTerm?: number | "ignore";
  /** What exec answers to these commands. */
  readonly exec?: readonly ScriptedCommand[];
  /** How long an image takes to pull, or "fail". */
  readonly pull?: number | "fail";
}

export interface ReadAnnotations {
  readonly script: ScriptAnnotations;
  readonly faults: readonly string[];
}

const prefix = "kubeloop.dev/";

type Reader = (text: string) => Partial<ScriptAnnotations>;

/** By the name after the prefix. */
const readers: Readonly<Record<string, Reader>> = {
  "run-for": (text) => ({ runForMs: parseTimeSpan(text) }),
  "exit-code": (text) => ({ exitCodes: text.split(",").map(parseExitCode) }),
  "fail-readiness": (text) => (parseBoolean(text) ? { readyAfterMs: Number.POSITIVE_INFINITY } : {}),
  "ready-after": (text) => ({ readyAfterMs: parseTimeSpan(text) }),
  "unready-after": (text) => ({ unreadyAfterMs: parseTimeSpan(text) }),
  "fail-liveness-after": (text) => ({ unhealthyAfterMs: parseTimeSpan(text) }),
  "started-after": (text) => ({ startedAfterMs: parseTimeSpan(text) }),
  log: (text) => ({ logLines: text.replace(/\n$/, "").split("\n") }),
  "termination-message": (text) => ({ terminationMessage: text }),
  "on-term": (text) => ({ onTerm: text === "ignore" ? text : parseExitCode(text) }),
  exec: (text) => ({ exec: parseTranscript(text) }),
  pull: (text) => ({ pull: text === "fail" ? text : parseTimeSpan(text) }),
};

/** Reads the annotations for one container. Those for the whole pod count only for app containers. */
export function readAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  container: { readonly name: string; readonly isApp: boolean },
): ReadAnnotations {
  if (annotations === undefined) return { script: {}, faults: [] };
  let script: ScriptAnnotations = {};
  const faults: string[] = [];
  for (const [name, read] of Object.entries(readers)) {
    const own = `${prefix}${name}.${container.name}`;
    const key = own in annotations ? own : container.isApp ? `${prefix}${name}` : undefined;
    const text = key === undefined ? undefined : annotations[key];
    if (text === undefined) continue;
    try {
      script = { ...script, ...read(text) };
    } catch (error) {
      if (!faultClasses.some((known) => error instanceof known)) throw error;
      faults.push(`annotation ${key} is not used: ${toError(error).message}`);
    }
  }
  return { script, faults };
}

class AnnotationError extends Error {}

const faultClasses = [AnnotationError, DurationError, TranscriptError];

function parseTimeSpan(text: string): number {
  if (text === "never" || text === "forever") return Number.POSITIVE_INFINITY;
  const ms = parseDurationMs(text);
  if (ms < 0) throw new AnnotationError(`"${text}" is negative`);
  return ms;
}

function parseExitCode(text: string): number {
  const code = Number(text.trim());
  if (text.trim() === "" || !Number.isInteger(code) || code < 0 || code > 255)
    throw new AnnotationError(`"${text}" is not an exit code from 0 to 255`);
  return code;
}

function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new AnnotationError(`"${text}" is neither true nor false`);
  return text === "true";
}
