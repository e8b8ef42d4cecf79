// Credentials from an exec plugin: a program that prints an ExecCredential. One run at a time is shared by all waiting callers. The
// result is kept until it expires or is rejected; after a 401 the plugin runs again. A run for which no caller waits any more is
// killed.
//
// The plugin gets standard input only if its interactive mode allows it and there is a terminal; then it also gets the standard
// error of this process, because it talks to a person. Otherwise its standard error goes to the log, line by line.
import { type Clock, isAborted, type Log, type Metrics } from "../../base/index.ts";
import type { Credentials } from "./credentials.ts";
import { CredentialsError } from "./credentials-error.ts";
import { type ExecCluster, execApiVersions, parseExecCredential, printExecRequest } from "./exec-credential.ts";
import { type ExecCall, observeExecPlugin } from "./exec-metrics.ts";
import { fileFault, type Host, type HostExit, isMissing } from "./host.ts";
import { printableText } from "./printable-text.ts";
import { type FetchedCredential, RenewedCredentials } from "./renewed-credentials.ts";

/** `Never` gets no standard input, `IfAvailable` a terminal if there is one, `Always` fails without one. */
export type ExecInteractiveMode = "Never" | "IfAvailable" | "Always";

export interface ExecPlugin {
  /** A path, or a name that is looked up in PATH. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly interactiveMode: ExecInteractiveMode;
  /** Shown when the command is not installed. */
  readonly installHint?: string;
}

export interface ExecPluginOptions {
  readonly plugin: ExecPlugin;
  /** Passed to the plugin; called before each run, because CA bundles rotate. */
  readonly cluster?: (signal: AbortSignal) => Promise<ExecCluster>;
  /** Why standard input is not available to plugins ("used to read manifests"); undefined if it is. */
  readonly stdinUnavailable?: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export function execCredentials(options: ExecPluginOptions): Credentials {
  const { apiVersion } = options.plugin;
  if (!execApiVersions.includes(apiVersion)) {
    const message = `exec plugin: apiVersion ${JSON.stringify(apiVersion)} is not supported, only ${execApiVersions.join(" and ")}`;
    throw new CredentialsError(message, { reason: "Invalid" });
  }
  const { metrics, clock } = options;
  const observe = metrics === undefined ? () => {} : observeExecPlugin(metrics, clock);
  const fetch = (signal: AbortSignal) => runPlugin(options, observe, signal);
  return new RenewedCredentials({ fetch, clock, withoutExpiry: "keep" });
}

async function runPlugin(
  options: ExecPluginOptions,
  observe: (call: ExecCall) => void,
  signal: AbortSignal,
): Promise<FetchedCredential> {
  const { plugin, host } = options;
  const isInteractive = canInteract(options);
  const cluster = await options.cluster?.(signal);
  const request = { apiVersion: plugin.apiVersion, isInteractive, ...(cluster === undefined ? {} : { cluster }) };
  const ownEnv = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]));
  const complaints = new StderrLog(options);
  const command = {
    command: plugin.command,
    args: plugin.args ?? [],
    env: { ...host.env, ...ownEnv, KUBERNETES_EXEC_INFO: printExecRequest(request) },
    stdin: isInteractive ? "inherit" : "none",
    stderr: isInteractive ? "inherit" : (line: string) => complaints.add(line),
  } as const;
  const exit = await spawnPlugin(options, () => host.spawn(command, signal), signal).catch((error: unknown) => {
    const isMissingPlugin = error instanceof CredentialsError && error.reason === "PluginMissing";
    if (!isAborted(error, signal)) {
      observe({ status: isMissingPlugin ? "plugin_not_found_error" : "client_internal_error" });
    }
    throw error;
  });
  if (exit.exitCode !== 0) {
    // One that was killed has no exit code; Go's is -1 then.
    observe({ status: "plugin_execution_error", exitCode: exit.exitCode ?? -1 });
    throw failedExit(plugin, exit, complaints.last);
  }
  try {
    const fetched = await parseExecCredential(exit.stdout, plugin.apiVersion);
    observe({ status: "no_error", fetched });
    return fetched;
  } catch (cause) {
    // The call went well, whatever was printed.
    observe({ status: "no_error", fetched: {} });
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new CredentialsError(`exec plugin ${plugin.command} printed no usable ExecCredential: ${fault}`, {
      reason: "PluginFailed",
      cause,
    });
  }
}

function canInteract({ plugin, host, stdinUnavailable }: ExecPluginOptions): boolean {
  const refuse = (why: string) =>
    new CredentialsError(`exec plugin ${plugin.command} needs standard input (interactiveMode Always): ${why}`, {
      reason: "PluginFailed",
    });
  switch (plugin.interactiveMode) {
    case "Never":
      return false;
    case "IfAvailable":
      return stdinUnavailable === undefined && host.isStdinTerminal();
    case "Always":
      if (!host.isStdinTerminal()) throw refuse("it is not a terminal");
      if (stdinUnavailable !== undefined) throw refuse(`it is unavailable: ${stdinUnavailable}`);
      return true;
  }
}

async function spawnPlugin(
  { plugin }: ExecPluginOptions,
  spawn: () => Promise<HostExit>,
  signal: AbortSignal,
): Promise<HostExit> {
  try {
    return await spawn();
  } catch (cause) {
    if (isAborted(cause, signal)) throw cause;
    if (!isMissing(cause)) {
      const message = `exec plugin ${plugin.command} could not be run: ${fileFault(cause)}`;
      throw new CredentialsError(message, { reason: "PluginFailed", cause });
    }
    const hint = plugin.installHint === undefined ? "" : `: ${printableText(plugin.installHint)}`;
    throw new CredentialsError(`exec plugin ${plugin.command} is not installed${hint}`, {
      reason: "PluginMissing",
      cause,
    });
  }
}

function failedExit(plugin: ExecPlugin, { exitCode }: HostExit, lastLine: string): CredentialsError {
  const how = exitCode === undefined ? "was killed" : `failed with exit code ${exitCode}`;
  const said = lastLine === "" ? "" : `: ${lastLine}`;
  return new CredentialsError(`exec plugin ${plugin.command} ${how}${said}`, { reason: "PluginFailed" });
}

/** Logs each line, and keeps the last one for the error, because it mostly says why the program failed. */
class StderrLog {
  readonly #log: Log;
  readonly #command: string;
  last = "";

  constructor({ log, plugin }: ExecPluginOptions) {
    this.#log = log;
    this.#command = plugin.command;
  }

  add(line: string): void {
    const text = printableText(line).trimEnd();
    if (text === "") return;
    this.last = text.slice(0, 500);
    this.#log.warn("exec plugin wrote to standard error", { command: this.#command, line: text });
  }
}
