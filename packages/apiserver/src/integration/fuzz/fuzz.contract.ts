// Sends many mutated requests to embedded servers and watches that nothing gives: no exception, no failure of the server's own, no
// malformed answer, no change by a read, no step back of the revision, no trace in the prototypes, no long stall, nothing left behind.
//
// A run is a row of rounds. Each has a fresh server, virtual time and a seed of its own, one more than the last, so the seed of a round
// alone repeats it.
import type { ApiRequest } from "@kubeloop/core/api";
import { systemClock } from "@kubeloop/core/base";
import { loadProtobuf } from "../../wire/protobuf/index.ts";
import { type AdmissionCounts, addCounts, type PluginCount } from "./admission-counts.contract.ts";
import { Round } from "./round.contract.ts";

export const roundSize = 1_000;

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** No request may keep the processor busy for longer, beyond reading its body. */
  /** Milliseconds of the processor that a request may take. Not asked unless given: tests do not measure time. */
  readonly stallMs?: number | undefined;
  /** Ends after the round in which so many different ones were found. Default: 1. */
  readonly violations?: number;
  /** Called before each request. */
  onRequest?(seed: number, index: number): void;
}

export interface Violation {
  /** Of the round: as the only one of a run it repeats what happened. */
  readonly seed: number;
  readonly index: number;
  readonly faults: readonly string[];
  readonly request: string;
}

export interface FuzzReport {
  readonly requests: number;
  readonly elapsedMs: number;
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly slowest: { readonly busyMs: number; readonly request: string };
  /** By plugin. */
  readonly admission: AdmissionCounts;
  /** Each kind once. */
  readonly violations: readonly Violation[];
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, requests, stallMs, onRequest, violations: most = 1 } = options;
  const begunMs = systemClock.monotonic();
  const protobuf = await loadProtobuf();
  const statuses = new Map<number, number>();
  const admission = new Map<string, PluginCount>();
  const violations = new Map<string, Violation>();
  const note = (violation: Violation) => {
    const kind = violation.faults
      .join("; ")
      .replaceAll(/\d+|"(?:[^"\\]|\\.)*"/g, "")
      .slice(0, 300);
    if (!violations.has(kind)) violations.set(kind, violation);
  };
  let slowest = { busyMs: 0, request: "" };
  let sent = 0;
  for (let number = 0; sent < requests && violations.size < most; number++) {
    const roundSeed = seed + number;
    await using round = await Round.open({ seed: roundSeed, protobuf, stallMs });
    const size = Math.min(roundSize, requests - sent);
    for (let index = 0; index < size; index++) {
      onRequest?.(roundSeed, index);
      const { request, status, faults, busyMs } = await round.next(index);
      sent++;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (busyMs > slowest.busyMs) slowest = { busyMs, request: describeRequest(request) };
      if (faults.length > 0) note({ seed: roundSeed, index, faults, request: describeRequest(request) });
    }
    addCounts(admission, await round.admissionCounts());
    const faults = await round.audit();
    if (faults.length > 0) note({ seed: roundSeed, index: size, faults, request: "the audit after them" });
  }
  return {
    requests: sent,
    elapsedMs: systemClock.monotonic() - begunMs,
    statuses,
    slowest,
    admission,
    violations: [...violations.values()],
  };
}

/** In one line, long parts cut. */
export function describeRequest({ method, path, query, headers, body, prefers }: ApiRequest): string {
  const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text);
  const content = () => {
    if (body.kind === "none") return undefined;
    if (body.kind === "value") return cut(JSON.stringify(body.value) ?? "");
    return body.bytes instanceof Uint8Array ? cut(Buffer.from(body.bytes).toString("latin1")) : "(in pieces)";
  };
  const parts = { method, path: cut(path), query: query.map(([name, value]) => `${name}=${cut(value)}`), headers };
  return cut(JSON.stringify({ ...parts, prefers, kind: body.kind, body: content() }));
}

/** For people: how long it took, what was answered, what is wrong. */
export function printReport({ requests, elapsedMs, statuses, slowest, admission, violations }: FuzzReport): string {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const plugins = [...admission].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${requests} requests in ${(elapsedMs / 1000).toFixed(1)} s (${Math.round((requests * 1000) / elapsedMs)}/s)`,
    `answers: ${counts.join(", ")}`,
    `longest busy with one: ${slowest.busyMs.toFixed(0)} ms: ${slowest.request}`,
    `admission, asked and refused: ${plugins.map(([name, { asked, refused }]) => `${name} ${asked}, ${refused}`).join("; ")}`,
    ...violations.map(
      ({ seed, index, faults, request }) =>
        `VIOLATION at request ${index} (repeat with --seed ${seed} --requests ${roundSize}): ${faults.join("; ")}\n  ${request}`,
    ),
  ].join("\n");
}
