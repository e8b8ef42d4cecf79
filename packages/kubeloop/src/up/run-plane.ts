// Runs a control plane for somebody at a terminal, or for a program: says when it is ready and that it stops.
import {
  type Clock,
  childSignal,
  jsonLineLog,
  type Log,
  noLog,
  TaskScope,
  textLineLog,
  untilAborted,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { ControlPlane } from "../cluster/control-plane.ts";
import type { StatusBoard } from "../status/status-board.ts";
import { UsageError } from "../usage-error.ts";
import { printDemo, printReady, printStopping, type Ready, type UpOutput } from "./up-messages.ts";
import type { UpOptions } from "./up-options.ts";

export interface PlaneRun extends Omit<Ready, "plane" | "tookMs"> {
  /** By the monotonic clock. */
  readonly begunMs: number;
  /** Aborts when somebody asks to stop; not when the terminal has gone away, where nobody is left to read. */
  readonly asked: AbortSignal;
  readonly world: UpOutput & { readonly clock: Clock; readonly status?: StatusBoard };
  /** Of the cluster that it works for. */
  readonly client: Client;
}

/** Until the signal aborts. Throws a UsageError if it does not become ready in time. */
export async function runPlane(
  plane: ControlPlane,
  options: UpOptions,
  run: PlaneRun,
  signal: AbortSignal,
): Promise<void> {
  const { world, asked, begunMs, client, ...where } = run;
  const { clock } = world;
  const running = new TaskScope(signal);
  const { status } = world;
  void running.spawn((each) => plane.run(each));
  if (status !== undefined) void running.spawn((each) => status.run(plane.informers.objects, each));
  void running.spawn(async (each) => {
    await waitUntilReady(plane, options.waitMs, clock, each);
    printReady({ ...where, plane, tookMs: clock.monotonic() - begunMs }, options.output, world);
    status?.ready();
    if (options.demo) await showDemo(client, options.output, world, each);
    await untilAborted(new Promise(() => {}), each).catch(() => {});
    if (asked.aborted) printStopping(options.output, world);
  });
  await running.join();
}

async function showDemo(
  client: Client,
  output: UpOptions["output"],
  world: PlaneRun["world"],
  signal: AbortSignal,
): Promise<void> {
  // Imported when it is needed.
  const { runDemo } = await import("../demo/demo.ts");
  await runDemo({ client, clock: world.clock, say: (text) => printDemo(text, output, world) }, signal);
}

async function waitUntilReady(plane: ControlPlane, waitMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (waitMs === 0) return;
  using waiting = childSignal(signal);
  const late = new UsageError(`up: pods would not run within ${waitMs / 1000} s; --wait gives it more time`);
  using _timer = clock.after(waitMs, () => waiting.abort(late));
  await plane.whenReady(waiting.signal);
}

interface LogWorld extends UpOutput {
  readonly clock: Clock;
  complain(text: string): void;
}

/** Warnings and worse, for people on standard error, for programs beside everything else. */
export function logFor(output: UpOptions["output"], { print, complain, clock }: LogWorld): Log {
  if (output === "quiet") return noLog;
  const options = { now: () => clock.now(), level: "warn" } as const;
  if (output === "json") return jsonLineLog({ ...options, write: (line) => print(`${line}\n`) });
  return textLineLog({ ...options, write: (line) => complain(`${line}\n`) });
}
