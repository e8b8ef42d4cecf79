// What this folder uses of the machine: environment, files, a terminal, child processes. All access goes through a Host,
// so that tests can use a fake machine; `nodeHost` is the real one.

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  homedir(): string;
  cwd(): string;
  /** The text of a file. Rejects with an error that has a `code` such as ENOENT. */
  readFile(path: string, signal: AbortSignal): Promise<string>;
  /** Writes a file atomically, creates its folders, and makes it readable only by its owner. Follows a symbolic link. */
  replaceFile(path: string, content: string, signal: AbortSignal): Promise<void>;
  isStdinTerminal(): boolean;
  /**
   * Runs a command to its end. Rejects if it cannot be started (ENOENT, EACCES), and with the signal's reason after it was
   * killed. Child processes of the command are not tracked.
   */
  spawn(command: HostCommand, signal: AbortSignal): Promise<HostExit>;
}

export interface HostCommand {
  /** A path, or a bare name that is looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: "inherit" | "none";
  /** Where its standard error goes: to this process's, or line by line to a function. */
  readonly stderr: "inherit" | ((line: string) => void);
}

export interface HostExit {
  readonly stdout: string;
  /** Undefined if a signal ended the process. */
  readonly exitCode: number | undefined;
}

/** Whether the error says that a file or command does not exist. */
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

/** Describes a file error in words, without the path. */
export function fileFault(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return knownCodes[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
