// The machine as this folder sees it: environment, files, a terminal, child processes. Everything that leaves the process
// goes through a Host, so that a test can be a table over a made-up machine; `nodeHost` is the real one.

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  homedir(): string;
  cwd(): string;
  /** The text of a file. Rejects with an error that has a `code` such as ENOENT. */
  readFile(path: string, signal: AbortSignal): Promise<string>;
  /** Puts a file in place whole or not at all, with its folders, readable by its owner only. Follows a symbolic link. */
  replaceFile(path: string, content: string, signal: AbortSignal): Promise<void>;
  isStdinTerminal(): boolean;
  /**
   * Runs a command to its end. Rejects if it cannot be started (ENOENT, EACCES) and, once it has been killed, with the
   * signal's reason. Processes the command itself started are not followed.
   */
  spawn(command: HostCommand, signal: AbortSignal): Promise<HostExit>;
}

export interface HostCommand {
  /** A path, or a bare name to be found in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: "inherit" | "none";
  /** Where its standard error goes: ours, or line by line to a function. */
  readonly stderr: "inherit" | ((line: string) => void);
}

export interface HostExit {
  readonly stdout: string;
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
}

/** Whether a file or command was not there. */
export function isMissing(error: unknown): boolean {
  return errorCode(error) === "ENOENT";
}

const knownCodes: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not in a directory",
};

/** What went wrong with a file, in words, without its path. */
export function fileFault(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return knownCodes[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
