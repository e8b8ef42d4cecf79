// What processes have cost, read from /proc (Linux only).
import { readFileSync } from "node:fs";

/** Of user and system time in /proc: USER_HZ, which is 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** User and system time of all of them. */
export const cpuMsOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);

/** What is resident of all of them, pages that they share counted once for each. */
export const rssMbOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + rssMb(pid), 0);

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may hold spaces; user and system time are the 12th and 13th word after it.
  const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(words[11]) + Number(words[12])) * msPerTick;
}

function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
