// The whole manager, from its arguments, on the embedded server and in virtual time.
import { readFile } from "node:fs/promises";
import { ApiServer } from "@kubeloop/apiserver";
import type { Transport } from "@kubeloop/core/api";
import { FakeClock, noLog, seededRandom, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { eventually } from "@kubeloop/core/testing";
import { parseOptions } from "../options/index.ts";
import { type Config, complete, newMetrics } from "./config.ts";
import { run } from "./run.ts";

export interface ManagedCluster {
  /** A user's: an admin. */
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: FakeClock;
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
}

/** Told of each request of the manager. */
export type ManagedRequests = (request: Parameters<Transport>[0]) => void;

/** How long the answer to a request of the manager takes, in virtual time. */
export type ManagedDelays = (request: Parameters<Transport>[0]) => number;

interface ManagerParts extends Partial<Config> {
  readonly onRequest?: ManagedRequests;
  readonly delayMs?: ManagedDelays;
  /** Requests that are never answered, not even when they are given up. */
  readonly hangs?: (request: Parameters<Transport>[0]) => boolean;
  /** Of the server. */
  readonly disableAdmissionPlugins?: readonly string[];
}

/** Each takes longer than most of what the manager does outside the clock. */
const mostTries = 200;

/** Runs the manager while `body` runs. Throws what ended the manager, if it ended by itself. */
export async function withManager(
  args: readonly string[],
  body: (cluster: ManagedCluster) => Promise<void>,
  {
    onRequest = () => {},
    delayMs = () => 0,
    hangs = () => false,
    disableAdmissionPlugins = [],
    ...given
  }: ManagerParts = {},
): Promise<void> {
  const clock = new FakeClock();
  await using server = await ApiServer.open({ clock, random: seededRandom("server"), disableAdmissionPlugins });
  const client = clientOf(server.transport, { clock });
  const options = parseOptions(["--leader-elect=false", "--secure-port=0", ...args]);
  const transport: Transport = async (request, signal) => {
    onRequest(request);
    if (hangs(request)) await new Promise(() => {});
    const delay = delayMs(request);
    if (delay > 0) await clock.sleep(delay, signal);
    return await server.transport(request, signal);
  };
  const metrics = newMetrics(options, given.metrics);
  const managers = clientOf(transport, { clock, metrics });
  const random = seededRandom("manager");
  const config = complete({ options, client: managers, log: noLog, clock, random, ...given, metrics });
  const ended = new AbortController();
  const scope = new TaskScope(ended.signal);
  let failure: unknown;
  const running = scope
    .spawn((signal) => run(config, signal))
    .catch((error: unknown) => {
      if (ended.signal.aborted) return;
      failure = error;
      ended.abort(error);
    });
  const { signal } = ended;
  const holds = <T>(what: string, look: () => Promise<T>) =>
    eventually(
      clock,
      async () => {
        signal.throwIfAborted();
        return await look();
      },
      { what, withinMs: 600_000 },
    );
  const until: ManagedCluster["until"] = async (what, look) => {
    for (let tries = 1; ; tries++) {
      try {
        return (await holds(what, look)) as never;
      } catch (error) {
        // The manager reads files, makes a certificate and opens a socket, for which no virtual time is long enough. Those who wait for
        // files get their turn.
        if (signal.aborted || tries === mostTries) throw error;
        await readFile(new URL(import.meta.url));
      }
    }
  };
  try {
    await body({ client, signal, clock, until });
  } catch (error) {
    if (failure === undefined) throw error;
  } finally {
    ended.abort(new Error("the test is over"));
    await clock.runUntilIdle().catch(() => {});
    await running;
    await scope.join().catch(() => {});
  }
  if (failure !== undefined) throw failure;
}
