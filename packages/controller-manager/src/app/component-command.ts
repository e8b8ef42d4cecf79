// What the commands of all components have in common: arguments are read and complained of in upstream's words, help and other answers are printed, and
// then the component runs until it is told to stop.
//
// Exit codes: 0 when it ended because it was told to, 1 for everything else.
import { type Clock, type Log, toError } from "@kubeloop/core/base";
import { FlagError, type FlagGroup, printUsage } from "../flags/index.ts";
import { type ComponentOptions, joinFaults } from "../options/index.ts";
import { newLog, newVerbosity, type Verbosity } from "./new-log.ts";

/** The outside, as far as the command touches it. */
export interface CommandWorld {
  readonly stdout: { write(text: string): void; readonly columns?: number };
  readonly stderr: { write(text: string): void };
  readonly clock?: Clock;
  /** Aborts when the process is told to stop. Asked for once the component is to run. */
  readonly stopSignal: (options: { readonly isGraceful: boolean }) => AbortSignal;
}

export interface RunningWorld extends CommandWorld {
  readonly log: Log;
  readonly verbosity: Verbosity;
}

export interface Component<O extends ComponentOptions> {
  /** The command's name. */
  readonly name: string;
  /** What `--help` begins with. */
  readonly description: string;
  /** In the order of `--help`. */
  flagGroups(): readonly FlagGroup[];
  /** Throws a FlagError. */
  parse(args: readonly string[]): O;
  /** What some flags make it say instead of running. */
  answer(options: O): Promise<string | undefined>;
  /** What is wrong with options that could be read. */
  validate(options: O): readonly string[];
  run(options: O, world: RunningWorld): Promise<void>;
}

/** Returns the exit code. */
export async function executeComponent<O extends ComponentOptions>(
  component: Component<O>,
  args: readonly string[],
  world: CommandWorld,
): Promise<number> {
  const { name } = component;
  const { stdout, stderr } = world;
  const usage = () =>
    `Usage:\n  ${name} [flags]\n\n${printUsage(component.flagGroups(), { columns: stdout.columns ?? 0 })}`;
  let options: O;
  try {
    options = component.parse(args);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    stderr.write(`${usage()}\nError: ${error.message}\n`);
    return 1;
  }
  if (options.global.help) {
    stdout.write(`${component.description}\n\n${usage()}`);
    return 0;
  }
  const { args: stray } = options.parsedFlags;
  if (stray.some((arg) => arg !== "")) {
    const given = stray.map((arg) => JSON.stringify(arg)).join(" ");
    stderr.write(`Error: "${name}" does not take any arguments, got [${given}]\n`);
    return 1;
  }
  const answer = await component.answer(options);
  if (answer !== undefined) {
    stdout.write(`${answer}\n`);
    return 0;
  }
  const verbosity = newVerbosity(options);
  const log = newLog(options, verbosity, world);
  try {
    const faults = component.validate(options);
    if (faults.length > 0) throw new Error(joinFaults(faults));
    await component.run(options, { ...world, log, verbosity });
    return 0;
  } catch (error) {
    log.error("command failed", { error: toError(error) });
    return 1;
  }
}
