// What keeps `kubeloop up` from starting, in one sentence that names a way out. What is no fault of the machine or of who started it stays
// what it is: a bug of ours.
import { KubeloopError } from "@kubeloop/core/base";
import { UsageError } from "../usage-error.ts";

const otherPort = "choose another with --port, or --port 0 for any that is free";
const otherFolder = "run this in another folder";

export function listenFault(error: unknown, port: number): unknown {
  if (!(error instanceof KubeloopError)) return error;
  const isDenied = codeOf(error.cause) === "EACCES";
  switch (error.reason) {
    case "PortTaken":
      return new UsageError(`up: ${error.message}; ${otherPort}`);
    case "CannotListen":
      return new UsageError(`up: ${isDenied ? `port ${port} is not permitted to you` : error.message}; ${otherPort}`);
    case "Invalid":
      return new UsageError(`up: ${error.message}`);
    default:
      return error;
  }
}

/** Of admission plugins that there are not, or not yet, or that are named twice; of flags that the controller manager does not have. */
export function invalidFault(error: unknown): unknown {
  return error instanceof KubeloopError && error.reason === "Invalid" ? new UsageError(`up: ${error.message}`) : error;
}

/** Of a path that could not be looked at, written or removed; `verb` says which. */
export function fileFault(error: unknown, verb: string, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new UsageError(`up: cannot ${verb} ${path}: ${words.get(code) ?? code}; ${otherFolder}`);
}

const words: ReadonlyMap<string, string> = new Map([
  ["EACCES", "that is not permitted to you"],
  ["EPERM", "that is not permitted to you"],
  ["EROFS", "nothing can be written there"],
  ["ENOSPC", "there is no space left"],
  ["EDQUOT", "there is no space left"],
  ["EEXIST", "there is something in the way that is no folder"],
  ["ENOTDIR", "there is something in the way that is no folder"],
  ["EISDIR", "it is a folder"],
  ["ENOENT", "there is no such folder"],
]);

/** Whether a second name for a file failed because this file system has none. */
export const isWithoutLinks = (code: string | undefined) =>
  code !== undefined && ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"].includes(code);

/** Of an error of the operating system; undefined for all others. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error && "code" in error ? String(error.code) : undefined;
}
