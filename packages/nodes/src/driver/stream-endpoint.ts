// Answers exec and attach: upgrades the connection to a WebSocket and serves it until the command or the container has ended. Exec runs scripted commands
// and those of the small shell; files that an exec writes are there for the next exec of the same attempt. Attach shows what the container prints from
// now on; its input is read and dropped.
import {
  type ApiRequest,
  type ApiResponse,
  headerValue,
  keyOf,
  newBadRequest,
  newStatusError,
  queryValue,
} from "@kubeloop/core/api";
import { type Clock, isAborted, TaskScope, toError } from "@kubeloop/core/base";
import { type AttemptSubject, environmentOf } from "../script/attempt-run.ts";
import { containerScript } from "../script/container-script.ts";
import { findScripted } from "../script/transcript.ts";
import { type Attempt, AttemptLog, refreshAttempt } from "../streams/container-log.ts";
import {
  type CommandStatus,
  chooseProtocol,
  executionFailure,
  exitStatus,
  parseStreamOptions,
  RemoteStreams,
  remoteCommandProtocols,
  type StreamOptions,
  successStatus,
} from "../streams/remote-command.ts";
import { runExec, startExec } from "../streams/run-exec.ts";
import { toTerminal } from "../streams/terminal.ts";
import { acceptKey } from "../streams/websocket.ts";
import { type FoundContainer, findContainer } from "./log-endpoint.ts";
import type { HeldPod, PodWorker } from "./pod-worker.ts";

/** A running container that somebody is connected to. */
interface Target extends FoundContainer {
  readonly held: HeldPod;
  readonly attempt: Attempt;
}

/** Undefined if the connection breaks. */
type Serve = (streams: RemoteStreams, signal: AbortSignal) => Promise<CommandStatus | undefined>;

/** The exit code of what ends with its container: 128 and the number of SIGKILL. */
const killedCode = 137;

export class StreamEndpoint {
  readonly #worker: PodWorker;
  readonly #clock: Clock;

  constructor(worker: PodWorker, clock: Clock) {
    this.#worker = worker;
    this.#clock = clock;
  }

  exec(held: HeldPod, request: ApiRequest, signal: AbortSignal): ApiResponse {
    const target = findTarget(held, request);
    const options = parseStreamOptions(request);
    const argv = request.query.filter(([name]) => name === "command").map(([, value]) => value);
    if (argv.length === 0) throw newBadRequest("you must specify at least 1 command for the container");
    return upgrade(request, options, (streams, each) => this.#exec(target, argv, options, streams, each), signal);
  }

  attach(held: HeldPod, request: ApiRequest, signal: AbortSignal): ApiResponse {
    const target = findTarget(held, request);
    const options = parseStreamOptions(request);
    return upgrade(request, options, (streams, each) => this.#attach(target, options, streams, each), signal);
  }

  async #exec(
    target: Target,
    argv: readonly string[],
    { isTty }: StreamOptions,
    streams: RemoteStreams,
    signal: AbortSignal,
  ): Promise<CommandStatus | undefined> {
    const { spec, held, attempt } = target;
    const subject: AttemptSubject = { pod: held.pod, container: spec.container, env: attempt.env };
    const { exec: scripted } = containerScript(held.pod, spec.container);
    const env = { ...environmentOf(subject), ...(isTty ? { TERM: "xterm" } : {}), HOME: "/root" };
    const files = filesOf(target);
    // Volumes follow their objects.
    for (const [path, text] of this.#worker.mountedFiles(held.pod, spec.container)) files.set(path, text);
    const find = (words: readonly string[]) => findScripted(scripted, words);
    const exec = startExec(argv, { env, files, scripted: find }, { isTty });
    if (exec === undefined) return executionFailure(notExecutable(argv[0] ?? ""));
    await using scope = new TaskScope(signal);
    const context = { streams, clock: this.#clock, isTty };
    const ran = scope.spawn((each) => runExec(exec, context, each));
    const ended = scope.spawn((each) => this.#untilEnded(target, each));
    const exitCode = await Promise.race([ran, ended.then(() => killedCode)]);
    return held.node.isCutOff ? undefined : exitStatus(exitCode);
  }

  async #attach(
    target: Target,
    { isTty }: StreamOptions,
    streams: RemoteStreams,
    signal: AbortSignal,
  ): Promise<CommandStatus | undefined> {
    const { held, spec, attempt } = target;
    const files = this.#worker.mountedFiles(held.pod, spec.container);
    const log = new AttemptLog(attempt, { pod: held.pod, spec, files });
    log.readPieces(this.#clock.now(), undefined);
    await using scope = new TaskScope(signal);
    scope.spawn(async (each) => {
      while ((await streams.read(each)) !== undefined);
    });
    for (;;) {
      const now = this.#refresh(target);
      const nowMs = this.#clock.now();
      const pieces = log.readPieces(nowMs, now?.finishedAtMs);
      for (const { stream, text } of pieces) {
        await streams.write(stream, isTty ? toTerminal(text) : text, signal);
      }
      if (held.node.isCutOff) return undefined;
      if (now === undefined || now.finishedAtMs !== undefined) return successStatus;
      // What has changed while a slow client took them wakes nobody: it is looked at before the wait.
      if (pieces.length === 0) await this.#worker.waitForChange(keyOf(held.pod), log.nextMs - nowMs, signal);
    }
  }

  /** Until the attempt has ended, or its node was cut off. */
  async #untilEnded(target: Target, signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.#refresh(target);
      if (now === undefined || now.finishedAtMs !== undefined) return;
      await this.#worker.waitForChange(keyOf(target.held.pod), Number.POSITIVE_INFINITY, signal);
    }
  }

  #refresh({ held, container, attempt }: Target): Attempt | undefined {
    if (held.node.isCutOff) return undefined;
    return refreshAttempt(attempt, this.#worker.get(keyOf(held.pod))?.life, container.name);
  }
}

/** Throws, in a kubelet's words, if the container does not run. */
function findTarget(held: HeldPod, { query }: ApiRequest): Target {
  const found = findContainer(held, queryValue(query, "container") || undefined);
  const { state, name, attempts } = found.container;
  if (state.at !== "running") {
    throw newStatusError({
      code: 500,
      reason: "InternalError",
      message: `container not found (${JSON.stringify(name)})`,
    });
  }
  const { startedAtMs, env } = state;
  return { ...found, held, attempt: { number: attempts - 1, startedAtMs, finishedAtMs: undefined, env } };
}

/** The files that an attempt's execs share. */
function filesOf({ held, container, attempt }: Target): Map<string, string> {
  const key = `${container.name}/${attempt.number}`;
  const files = held.files.get(key) ?? new Map<string, string>();
  held.files.set(key, files);
  return files;
}

/** As runc says it, and what to do about it. */
function notExecutable(name: string): string {
  const text = `exec: ${JSON.stringify(name)}: executable file not found in $PATH: unknown`;
  const hint =
    name === "tar"
      ? "a hollow node has no programs, and so kubectl cp, which runs tar, cannot copy"
      : "a hollow node has no programs: the annotation kubeloop.dev/exec scripts what a command answers";
  return `OCI runtime exec failed: exec failed: unable to start container process: ${text} (${hint})`;
}

/** Switches protocols and serves the connection; who disposes of the response waits for that. */
function upgrade(request: ApiRequest, options: StreamOptions, serve: Serve, signal: AbortSignal): ApiResponse {
  const { headers } = request;
  const asked = (request.upgrade ?? headerValue(headers, "upgrade") ?? "").toLowerCase();
  if (asked === "") throw newBadRequest("Upgrade request required");
  if (asked !== "websocket") {
    throw newBadRequest(`hollow nodes speak WebSocket, not ${asked}: use kubectl 1.31 or newer`);
  }
  const key = headerValue(headers, "sec-websocket-key");
  const protocol = chooseProtocol(request);
  if (key === undefined || headerValue(headers, "sec-websocket-version") !== "13") {
    throw newBadRequest("unable to upgrade: not a WebSocket handshake of version 13");
  }
  if (protocol === undefined) {
    throw newBadRequest(`unable to upgrade: hollow nodes speak ${remoteCommandProtocols.join(", ")}`);
  }
  const streams = new RemoteStreams(options, protocol);
  const scope = new TaskScope(signal);
  scope.spawn(async (each) => {
    await streams.run(each);
    // Nobody is there any more.
    scope.abort(new Error("the client has gone"));
  });
  scope.spawn(async (each) => {
    try {
      await streams.greet(each);
      const status = await failureAsStatus(serve(streams, each), each);
      if (status !== undefined) await streams.finish(status, each);
    } finally {
      streams.socket.abandon();
    }
  });
  const answered = { "sec-websocket-accept": acceptKey(key) };
  return {
    status: 101,
    headers: protocol === "" ? answered : { ...answered, "sec-websocket-protocol": protocol },
    body: { kind: "upgraded", protocol: "websocket", connection: streams.socket.connection },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

async function failureAsStatus(
  work: Promise<CommandStatus | undefined>,
  signal: AbortSignal,
): Promise<CommandStatus | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    return executionFailure(toError(error).message);
  }
}
