// Reads numbers about the process from the text of the files in Linux's /proc/self. A number that no file contains is undefined.

export interface ProcNumbers {
  readonly maxFds?: number;
  readonly virtualBytes?: number;
  readonly maxVirtualBytes?: number;
  /** Counted for the whole network namespace of the process. */
  readonly receivedBytes?: number;
  readonly sentBytes?: number;
}

/** The number that is exported for "unlimited": the largest of 64 bits. */
const unlimited = 2 ** 64;

/** `read` returns the text of the file with this name, or undefined. */
export function readProcNumbers(read: (file: string) => string | undefined): ProcNumbers {
  const limits = read("limits") ?? "";
  const network = readExtended(read("net/netstat") ?? "");
  const virtualKb = /^VmSize:\s+(\d+) kB$/m.exec(read("status") ?? "")?.[1];
  return defined({
    maxFds: softLimit(limits, "Max open files"),
    maxVirtualBytes: softLimit(limits, "Max address space"),
    virtualBytes: virtualKb === undefined ? undefined : Number(virtualKb) * 1024,
    receivedBytes: network.get("InOctets"),
    sentBytes: network.get("OutOctets"),
  });
}

function softLimit(limits: string, name: string): number | undefined {
  const line = limits.split("\n").find((each) => each.startsWith(name));
  const [value] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  if (value === undefined) return undefined;
  return value === "unlimited" ? unlimited : Number(value);
}

/** Returns the counters of the group IpExt: the file has one line with the names, then one with the values. */
function readExtended(netstat: string): ReadonlyMap<string, number> {
  const [names = [], values = []] = netstat
    .split("\n")
    .filter((line) => line.startsWith("IpExt: "))
    .map((line) => line.split(" ").slice(1));
  return new Map(names.map((name, at) => [name, Number(values[at])]));
}

function defined(numbers: { readonly [K in keyof ProcNumbers]: number | undefined }): ProcNumbers {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
}
