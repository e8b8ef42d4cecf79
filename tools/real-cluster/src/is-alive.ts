// Whether a process exists. A zombie does, and so does another user's.
import { hasCode } from "./errors.ts";

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
